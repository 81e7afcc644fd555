import type { FleetHolding } from '../live/held-clients';
import type { LiveState } from '../live/live-state';
import type { Clock } from '../observe';
import { takeLeases } from '../store/leases';
import type { ObservationLog } from '../store/log';
import type { Recorder, RecorderOptions } from '../store/recorder/recorder';
import type { RetentionLimits } from '../store/retention';
import type { StoreDatabase } from '../store/schema';
import { RepeatedWork } from './repeated-work';

interface StoreRetentionParts {
  readonly clock: Clock;
  readonly database: StoreDatabase;
  readonly log: ObservationLog;
  readonly recorder: Pick<Recorder, 'saveCheckpoint'>;
  readonly holding: Pick<FleetHolding, 'isFolder' | 'isWhole'>;
  /** The name of this process among those that could do it. */
  readonly holder: string;
  readonly limits: RecorderOptions['retention'];
  /** The fold of the store up to `seq`. */
  readonly live: Pick<LiveState, 'seq' | 'world' | 'sources'>;
}

const everyMs = 30_000;
const lease = 'store/retention';
/** Another process takes over after this time. */
const ttlMs = 5 * 60_000;

/**
 * Brings the shared store within the limits: one web process at a time, by a lease, deletes its oldest observations, and the bodies that only
 * they named. Before that, it stores the fold of all clients as a checkpoint, with which a web process begins that has not
 * read what is deleted. Permalinks keep their bodies.
 */
export class StoreRetention {
  readonly #parts: StoreRetentionParts;
  readonly #work: RepeatedWork;
  #isClosed = false;
  #deleted = 0;

  constructor(parts: StoreRetentionParts) {
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs, failure: 'retention of the shared store' },
      work: () => this.#round(),
    });
  }

  /** The reason why it failed last time; empty if it did not. */
  get problem(): string {
    return this.#work.problem;
  }

  /** The number of observations that this process has deleted. */
  get deleted(): number {
    return this.#deleted;
  }

  start(): void {
    this.#work.start();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#work.close();
  }

  async #round(): Promise<void> {
    const { clock, database, log, holder, limits, live, recorder, holding } = this.#parts;
    const isCancelled = (): boolean => this.#isClosed;
    if (!holding.isFolder || !holding.isWhole) return;
    const held = await takeLeases(database, { holder, names: [lease], ttlMs });
    if (!held.has(lease)) return;
    const olderThan = clock.now() - limits.maxAgeMs;
    const all = {
      olderThan,
      maxBytes: limits.maxBytes,
      maxCount: limits.maxCount ?? Number.MAX_SAFE_INTEGER,
    };
    if (!(await this.#exceeds(all))) return;
    await recorder.saveCheckpoint(live.seq, live.world.values(), live.sources.list());
    if (isCancelled()) return;
    this.#deleted += await log.applyRetention({ limits: all, isCancelled });
  }

  async #exceeds({ olderThan, maxBytes, maxCount }: RetentionLimits): Promise<boolean> {
    const { database, log } = this.#parts;
    const { oldestAt = olderThan } = await log.readHeads();
    if (oldestAt < olderThan) return true;
    if ((await database.size()).used > maxBytes) return true;
    return maxCount < Number.MAX_SAFE_INTEGER && (await log.countHistory({})) > maxCount;
  }
}
