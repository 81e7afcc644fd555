import { messageOf } from '@/lib/format/message-of';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../observe';
import { ObservationLog } from '../store/log';
import type { Recorder } from '../store/recorder/recorder';
import type { StoreDatabase } from '../store/schema';
import { type ForwardedRecording, forwardPage, pageSize } from './forward-page';
import { pause } from './pause';

interface ForwarderParts extends ForwardedRecording {
  readonly clock: Clock;
  readonly recorder: ForwardedRecording['recorder'] & Pick<Recorder, 'stats'>;
  /** Opens the shared store. Rejects if it cannot be reached, or must not be written to. */
  readonly open: () => Promise<StoreDatabase>;
}

/** The problem of the first attempt to connect, until it ends. */
export const connecting = 'not connected yet';

export interface Forwarding {
  /** Empty while the shared store accepts observations; else the reason why it does not. */
  readonly problem: string;
  /** All observations of the recording up to this seq are in the shared store; null: not known yet. */
  readonly reachedSeq: number | null;
  /** The number of observations that the shared store does not have yet; null: not known. */
  readonly waiting: number | null;
  /** The time of the newest batch; null: there was none since the start. */
  readonly sentAt: EpochMs | null;
}

/**
 * The recording is read again after this time, unless a whole page was sent: what is recorded meanwhile is one transaction, and one
 * notice to the web processes.
 */
const pollMs = 200;
const retryMs = { first: 1_000, longest: 10_000 };

/**
 * Copies each observation of a local recording, with the bodies that it names, into the shared store, in order and once. While the
 * store cannot be reached, observations wait in the recording, up to its retention.
 */
export class Forwarder {
  readonly #parts: ForwarderParts;
  readonly #closing = new AbortController();
  #problem = connecting;
  #reachedSeq: number | null = null;
  #sentAt: EpochMs | null = null;
  #running: Promise<void> | undefined;

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  get state(): Forwarding {
    const { newestSeq } = this.#parts.recorder.stats();
    return {
      problem: this.#problem,
      reachedSeq: this.#reachedSeq,
      waiting: this.#reachedSeq === null ? null : Math.max(0, newestSeq - this.#reachedSeq),
      sentAt: this.#sentAt,
    };
  }

  /** Resolves when nothing more is sent. What is not sent yet is sent after the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let delayMs = retryMs.first; !this.#isClosed; delayMs = Math.min(2 * delayMs, retryMs.longest)) {
      try {
        await this.#connected(async (log) => {
          await this.#forward(log, () => {
            delayMs = retryMs.first;
          });
        });
      } catch (error) {
        this.#problem = messageOf(error).split('\n')[0] ?? '';
        await this.#wait(delayMs);
      }
    }
  }

  async #connected(work: (log: ObservationLog) => Promise<void>): Promise<void> {
    const store = await this.#parts.open();
    try {
      await work(new ObservationLog(store, this.#parts.clock));
    } finally {
      await store.close();
    }
  }

  async #forward(log: ObservationLog, onSent: () => void): Promise<void> {
    const { collector, clock } = this.#parts;
    this.#reachedSeq = await log.newestOfCollector(collector);
    this.#problem = '';
    while (!this.#isClosed) {
      const before = this.#reachedSeq;
      const reached = await forwardPage(this.#parts, log, before);
      if (reached !== undefined) {
        this.#reachedSeq = reached;
        this.#sentAt = clock.now();
        onSent();
      }
      if (this.#reachedSeq - before < pageSize) await this.#wait(pollMs);
    }
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #wait(delayMs: number): Promise<void> {
    return pause(this.#parts.clock, delayMs, this.#closing.signal);
  }
}
