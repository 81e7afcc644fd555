import { LRUCache } from 'lru-cache';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock, Observe } from '../observe';
import type { ObservationLog } from '../store/log';
import { namedHashes } from '../store/named-hashes';
import { RepeatedWork } from './repeated-work';

interface FollowerParts {
  readonly clock: Clock;
  readonly log: Pick<ObservationLog, 'readObservations' | 'readBodies'>;
  /** All observations of the store up to this seq are in the local recording. */
  readonly reachedSeq: number;
  readonly observe: Observe;
  /** Resolves when the local recording can take more. */
  readonly keepPace: () => Promise<void>;
}

export interface Following {
  /** Empty while the shared store answers; else the reason why it does not. */
  readonly problem: string;
  /** All observations of the store up to this seq were observed here. */
  readonly reachedSeq: number;
  /** The time of the newest of them; null: there was none since the start. */
  readonly reachedAt: EpochMs | null;
}

const pageSize = 500;
/** The store is read after this time without a notice, which repairs a lost one. */
const pollMs = 1_000;
const knownBodies = 50_000;

/** Observes each observation of a shared store, with the bodies that it names, in the order and with the seqs of the store. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #known = new LRUCache<string, true>({ max: knownBodies });
  readonly #work: RepeatedWork;
  #reachedSeq: number;
  #reachedAt: EpochMs | null = null;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#reachedSeq = parts.reachedSeq;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: pollMs, failure: 'the shared store is not read' },
      work: () => this.#readPage(),
    });
  }

  get state(): Following {
    return { problem: this.#work.problem, reachedSeq: this.#reachedSeq, reachedAt: this.#reachedAt };
  }

  start(): void {
    this.#work.start();
  }

  /** The store has more. */
  wake(): void {
    this.#work.wake();
  }

  close(): Promise<void> {
    return this.#work.close();
  }

  /** Returns whether there may be more. */
  async #readPage(): Promise<boolean> {
    const { log, observe, keepPace } = this.#parts;
    const page = await log.readObservations({ afterSeq: this.#reachedSeq, limit: pageSize, order: 'asc' });
    const [first] = page;
    if (first !== undefined && first.seq > this.#reachedSeq + 1) {
      throw new Error(
        `expected observation ${this.#reachedSeq + 1}, got ${first.seq}: retention of the store deleted it before this process read it; a restart begins at the checkpoint of the store`,
      );
    }
    const named = new Set(page.flatMap(namedHashes));
    const missing = [...named].filter((hash) => !this.#known.has(hash));
    const bodies = missing.length === 0 ? new Map() : await log.readBodies(missing);
    for (const { seq, ...observation } of page) {
      const own = namedHashes(observation).flatMap((hash) => bodies.get(hash) ?? []);
      observe({ observation, bodies: own, seq });
      this.#reachedSeq = seq;
      this.#reachedAt = observation.at;
    }
    for (const hash of bodies.keys()) this.#known.set(hash, true);
    await keepPace();
    return page.length > 0;
  }
}
