import type { Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { type FleetHolding, type HeldClients, isLoadReport } from '../live/held-clients';
import type { Clock, Observe } from '../observe';
import type { ObservationLog } from '../store/log';
import { Turns } from '../turns';
import { RepeatedWork } from './repeated-work';

interface FollowerParts {
  readonly clock: Clock;
  readonly log: Pick<ObservationLog, 'readObservationTexts' | 'findTail'>;
  /** All observations of the store up to its `reachedSeq` are known here. */
  readonly holding: Pick<FleetHolding, 'reachedSeq'>;
  /** The clients that this process folds. */
  readonly held: Pick<HeldClients, 'followed' | 'takes'>;
  readonly observe: Observe;
  /** Called instead of `observe` with what is not folded. */
  readonly skip: (seq: number, clientId: string | null) => void;
  /** Called before `skip` with a load report. */
  readonly observeLoad: (observation: Observation) => void;
  /** Called after each page. */
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

/** Observes what a shared store has, in the order and with the seqs of the store, as far as this process folds it. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #work: RepeatedWork;
  readonly #turns = new Turns();
  #reachedAt: EpochMs | null = null;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: pollMs, failure: 'the shared store is not read' },
      work: () => this.#turns.take(() => this.#readPage()),
    });
  }

  get state(): Following {
    return {
      problem: this.#work.problem,
      reachedSeq: this.#parts.holding.reachedSeq,
      reachedAt: this.#reachedAt,
    };
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

  /** Nothing is observed during `work`. */
  pauseFor<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.take(work);
  }

  /** Returns whether there may be more. */
  async #readPage(): Promise<boolean> {
    const { log, holding, held, observe, observeLoad, skip, keepPace } = this.#parts;
    const { reachedSeq } = holding;
    const { newestSeq, newestAt, hasNext } = await log.findTail(reachedSeq);
    if (newestSeq <= reachedSeq) return false;
    if (!hasNext) {
      throw new Error(
        `expected observation ${reachedSeq + 1}, got none up to ${newestSeq}: retention of the store deleted it before this process read it; a restart begins at the checkpoint of the store`,
      );
    }
    // A client that is opened from here on is read as of a later moment.
    const { followed } = held;
    const range = { afterSeq: reachedSeq, beforeSeq: newestSeq + 1, order: 'asc' } as const;
    const page = await log.readObservationTexts({ ...range, limit: pageSize, ...(followed && { followed }) });
    for (const stored of page) {
      const { seq, at, clientId, json } = stored;
      if (held.takes(stored)) observe({ observation: JSON.parse(json), bodies: [], seq });
      else {
        if (isLoadReport(json)) observeLoad(JSON.parse(json));
        skip(seq, clientId);
      }
      holding.reachedSeq = seq;
      this.#reachedAt = at;
    }
    if (page.length === 0) {
      skip(newestSeq, null);
      holding.reachedSeq = newestSeq;
      this.#reachedAt = newestAt;
    }
    await keepPace();
    return page.length > 0;
  }
}
