import type { RunningSource, SourceStatus } from '../source-status';
import type { RemoteSourceOptions } from '../source-threads/remote-source';
import { SourceThread, type SourceThreadOptions } from '../source-threads/source-thread';
import type { ListenAddress } from './load-report-receiver';
import type { LoadReportRequest } from './load-report-request';

/** The parts of a receiver of load reports on a port of its own, without the id of its source. */
export interface LrsSetup {
  readonly listen: ListenAddress;
  readonly request?: Partial<LoadReportRequest>;
}

/** Serves LRS in a thread of its own, so that no message of a peer delays pages or other sources. */
export class LrsThread {
  readonly #thread: SourceThread<LrsSetup>;
  readonly #listening: Promise<void>[] = [];

  constructor(options: Omit<SourceThreadOptions, 'worker' | 'plural'>) {
    this.#thread = new SourceThread({ worker: 'lrs-worker', plural: 'load report receivers', ...options });
  }

  open(options: Omit<RemoteSourceOptions<LrsSetup>, 'vantage'>): RunningSource {
    const { host = '127.0.0.1', port } = options.setup.listen;
    let settle: (status: SourceStatus) => void = () => undefined;
    const listening = new Promise<void>((resolve, reject) => {
      settle = ({ state, problem }) => {
        if (state === 'down')
          reject(new Error(`expected to listen on ${host}:${port}, got: ${problem?.message}`));
        else if (state !== 'connecting') resolve();
      };
    });
    // whenListening() reports the error.
    listening.catch(() => undefined);
    this.#listening.push(listening);
    return this.#thread.open({
      ...{ ...options, vantage: 'lrs' },
      onStatus: (status) => {
        options.onStatus(status);
        settle(status);
      },
    });
  }

  /** Resolves when every receiver listens or is paused; rejects with the reason of one that cannot listen. */
  async whenListening(): Promise<void> {
    await Promise.all(this.#listening);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
