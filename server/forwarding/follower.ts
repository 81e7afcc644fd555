import { LRUCache } from 'lru-cache';
import { messageOf } from '@/lib/format/message-of';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock, Observe } from '../observe';
import type { ObservationLog } from '../store/log';
import { namedHashes } from '../store/named-hashes';
import { pause } from './pause';

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
const pollMs = 200;
const retryMs = 1_000;
const knownBodies = 50_000;

/** Observes each observation of a shared store, with the bodies that it names, in the order and with the seqs of the store. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #closing = new AbortController();
  readonly #known = new LRUCache<string, true>({ max: knownBodies });
  #problem = '';
  #reachedSeq: number;
  #reachedAt: EpochMs | null = null;
  #running: Promise<void> | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#reachedSeq = parts.reachedSeq;
  }

  get state(): Following {
    return { problem: this.#problem, reachedSeq: this.#reachedSeq, reachedAt: this.#reachedAt };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { clock } = this.#parts;
    while (!signal.aborted) {
      try {
        const isMore = await this.#readPage();
        this.#problem = '';
        if (!isMore) await pause(clock, pollMs, signal);
      } catch (error) {
        this.#problem = messageOf(error).split('\n')[0] ?? '';
        await pause(clock, retryMs, signal);
      }
    }
  }

  /** Returns whether there may be more. */
  async #readPage(): Promise<boolean> {
    const { log, observe, keepPace } = this.#parts;
    const page = await log.readObservations({ afterSeq: this.#reachedSeq, limit: pageSize, order: 'asc' });
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
