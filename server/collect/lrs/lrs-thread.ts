import type { RunningSource, SourceStatus } from '../../source-status';
import { Collector, type CollectorOptions } from '../collector/collector';
import type { RemoteSourceOptions } from '../collector/remote-source';
import type { LrsSetup } from './collect-lrs';

/** Serves LRS by a collector of its own, because any peer that reaches the port can send to it: it delays no other source. */
export class LrsThread {
  readonly #collector: Collector<{ readonly lrs: LrsSetup }>;
  readonly #listening: Promise<void>[] = [];

  constructor(options: CollectorOptions) {
    this.#collector = new Collector(options);
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
    return this.#collector.open('lrs', {
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
    return this.#collector.close();
  }
}
