import type { Observe } from '../observe';
import type { RunningSource, SourceStatus } from '../source-status';
import { SourceThread, type SourceThreadOptions } from '../source-threads/source-thread';
import type { ListenAddress } from './load-report-receiver';
import type { LoadReportRequest } from './load-report-request';

/** What a receiver of load reports on a port of its own is made of, apart from the id of its source. */
export interface LrsSetup {
  readonly listen: ListenAddress;
  readonly request?: Partial<LoadReportRequest>;
}

export interface LrsThreadOptions extends Omit<SourceThreadOptions, 'worker' | 'plural'> {
  readonly observe: Observe;
}

/** Serves LRS in a thread of its own: whatever a peer sends there, neither pages nor other sources wait for it. */
export class LrsThread {
  readonly #thread: SourceThread<LrsSetup>;

  constructor(private readonly options: LrsThreadOptions) {
    this.#thread = new SourceThread({ worker: 'lrs-worker', plural: 'load report receivers', ...options });
  }

  /** Resolves when it listens; rejects with a clear line when it cannot. */
  open(sourceId: string, setup: LrsSetup, onStatus: (status: SourceStatus) => void): Promise<RunningSource> {
    const { observe, clock } = this.options;
    return new Promise((resolve, reject) => {
      const source = this.#thread.open({
        ...{ sourceId, setup, observe, clock, vantage: 'lrs' },
        onStatus: (status) => {
          onStatus(status);
          if (status.state === 'down') reject(new Error(status.problem?.message));
          else if (status.state === 'up') resolve(source);
        },
      });
      source.start();
    });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
