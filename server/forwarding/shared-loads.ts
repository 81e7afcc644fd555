import { LoadReader, openLoadQueue } from '../live/load/load-reader';
import { defaultLoadRetention } from '../live/load/load-retention';
import { log } from '../logger';
import type { Clock } from '../observe';
import { RepeatedWork } from './repeated-work';

interface SharedLoadsParts {
  readonly clock: Clock;
  readonly url: string;
  /** True while this process folds the fleet: it records for all what collectors have forwarded. */
  readonly isFolder: () => boolean;
}

const takeEveryMs = 1_000;
const tidyEveryMs = 10_000;
/** The size of the database is limited by the age of what it has. */
const retention = { ...defaultLoadRetention, maxBytes: Number.MAX_SAFE_INTEGER };

/** Load over time in a shared store. */
export class SharedLoads extends LoadReader {
  readonly #parts: SharedLoadsParts;
  readonly #work: RepeatedWork;
  #onRecorded: (clientIds: Iterable<string>) => void = () => undefined;
  #wasFolder = false;
  #tidiedAt = 0;

  constructor(parts: SharedLoadsParts) {
    super(openLoadQueue({ url: parts.url }));
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: takeEveryMs, failure: 'load is not recorded' },
      work: () => this.#take(),
    });
  }

  /** Calls `onRecorded` with the clients whose load this process has recorded. */
  start(onRecorded: (clientIds: Iterable<string>) => void): void {
    this.#onRecorded = onRecorded;
    this.#work.start();
  }

  override get stats() {
    return { ...this.counted, problem: this.#work.problem };
  }

  /** Sums of open minutes are in the memory of the process that folds the fleet: any other one reads them anew. */
  override async flushed(): Promise<void> {
    const isFolder = this.#parts.isFolder();
    if (!isFolder || !this.#wasFolder) await this.queue.run('close', null);
    this.#wasFolder = isFolder;
  }

  override async close(): Promise<void> {
    await this.#work.close();
    await super.close();
  }

  /** Returns whether there is more. */
  async #take(): Promise<boolean> {
    if (!this.#parts.isFolder()) return false;
    try {
      return await this.#record();
    } catch (error) {
      // What the thread has in its memory may not be what is stored: it is read anew.
      this.#wasFolder = false;
      throw error;
    }
  }

  async #record(): Promise<boolean> {
    await this.flushed();
    const { reports, leftOut, clientIds, problem, isMore } = await this.queue.run('takeWaiting', null);
    this.counted.reports += reports;
    this.counted.leftOut += leftOut;
    if (clientIds.size > 0) this.#onRecorded(clientIds);
    if (problem !== '') log('warn', 'store', problem);
    await this.#tidy();
    return isMore;
  }

  async #tidy(): Promise<void> {
    const now = this.#parts.clock.now();
    if (now - this.#tidiedAt < tidyEveryMs) return;
    while (await this.queue.run('tidy', { now, retention }));
    this.#tidiedAt = now;
  }
}
