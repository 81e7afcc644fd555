import { byDescending } from '@/lib/collections/compare';
import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Recorded } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { LogBlock } from '../blocks/log-block';
import type { LogBlocks } from '../blocks/log-blocks';
import type { LogStorage } from '../storage/log-storage';
import { type FoldedClient, foldClient } from './fold-client';
import { LazyResources } from './lazy-resources';
import { storeSnapshot } from './snapshots';

interface Follower {
  /** True if `#world` contains all changes since then. If not, as after a restart, the log must be folded. */
  readonly isKnown: boolean;
  beginsAt: EpochMs;
  observations: number;
  rows: number;
  /** Number of rows at its newest snapshot. */
  held: number;
}

const everyObservations = 1024;
/** The snapshot of a client with many rows is due after this part of them was observed or changed. */
const heldShare = 1 / 8;
const storedAtOnce = 8;
const maxFollowers = 50_000;
/** Limits the changed rows of all clients that are in memory for the next snapshots. */
const maxRows = 200_000;
/** Reading these blocks takes some 100 ms, once after a start. */
const countedBlocks = 256;

/**
 * Stores a snapshot of each client every so many observations, so that the state at any time is a snapshot and a short
 * fold. It folds observations as they are written. A client whose state it lacks, as after a restart, is folded from
 * the log. When many batches are written at once, their observations are folded from the log later, with the same
 * result.
 */
export class ClientFollowers {
  readonly #storage: LogStorage;
  readonly #log: LogBlocks;
  #isFromStart: boolean;

  readonly #followers = new Map<string, Follower>();
  readonly #world: World = new Map();
  readonly #due = new Set<string>();
  /** Observations since the newest snapshot of each client that is not followed yet, counted on first use. */
  #unfollowed: Map<string, number> | undefined;
  #rows = 0;
  /** The snapshots of some clients are due for twice as long as intended. */
  #isOverdue = false;
  /** Observations up to this seq were followed, or never will be. */
  #reached: number;
  #isBehind = false;

  constructor(
    storage: LogStorage,
    log: LogBlocks,
    /** The log is empty, so that all observations of a client will be followed. */
    isFromStart: boolean,
  ) {
    this.#storage = storage;
    this.#log = log;
    this.#isFromStart = isFromStart;

    this.#reached = log.newestSeq;
  }

  get due(): number {
    return this.#due.size;
  }

  /** Observations in the log are still to be followed. Those that are written meanwhile must not be followed. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** An estimate if there are gaps. */
  get behind(): number {
    return this.#isBehind ? this.#log.newestSeq - this.#reached : 0;
  }

  /** Due snapshots were not stored during many writes. Following more observations would make them too rare. */
  get isOverdue(): boolean {
    return this.#isOverdue;
  }

  /** Observations that are written from now on are left to followOn(). */
  leaveForLater(): void {
    this.#isBehind = true;
  }

  /** Must be called in the order of the log; if the write fails, forgetAll() must be called. */
  follow(observation: Recorded): void {
    this.#reached = observation.seq;
    if (!('clientId' in observation)) return;
    const { clientId, at } = observation;
    const changed = 'changed' in observation ? observation.changed.length + observation.removed.length : 0;
    if (this.#count(clientId, at, changed)) foldObservation(this.#world, observation);
  }

  followOn(): void {
    const block = this.#nextBlock();
    for (let index = block?.firstAfter(this.#reached) ?? 0; block && index < block.count; index++) {
      const seq = block.seqAt(index);
      const clientId = block.textOf('clients', index);
      if (block.kindAt(index) === 'response-received' && clientId !== null) {
        // Folding a response changes only the seq.
        const state = this.#count(clientId, block.atAt(index), 0) ? this.#world.get(clientId) : undefined;
        if (state) state.seq = seq;
        this.#reached = seq;
      } else {
        this.follow({ ...block.observation(index), seq });
      }
    }
    this.#isBehind = this.#reached < this.#log.newestSeq;
    this.makeRoom();
  }

  #nextBlock(): LogBlock | undefined {
    for (const block of this.#log.between({ afterSeq: this.#reached, order: 'asc' })) if (block) return block;
    return undefined;
  }

  /** Observations up to this seq are about to be deleted, or are in a snapshot, and need not be followed. */
  skipTo(seq: number): void {
    if (this.#isBehind && this.#reached < seq) this.forgetAll();
  }

  /** Returns whether the observation must be folded. */
  #count(clientId: string, at: EpochMs, changed: number): boolean {
    const follower = this.#followers.get(clientId) ?? this.#begin(clientId, at);
    follower.observations += 1;
    follower.rows += changed;
    if (follower.isKnown) this.#rows += changed;
    const enough = Math.max(everyObservations, follower.held * heldShare);
    const most = Math.max(follower.observations, follower.rows);
    if (most >= enough) this.#due.add(clientId);
    if (most >= 2 * enough) this.#isOverdue = true;
    return follower.isKnown;
  }

  /**
   * Must be called between batches. If there are too many clients, all are forgotten; if there are too many rows, the
   * clients with the most rows become due.
   */
  makeRoom(): void {
    if (this.#followers.size > maxFollowers) {
      this.#clear();
    } else if (this.#rows > maxRows) {
      const byRows = [...this.#followers].sort(byDescending(([, { rows }]) => rows));
      for (const [clientId] of byRows.slice(0, Math.ceil(byRows.length / 8))) this.#due.add(clientId);
    }
  }

  storeNext(): void {
    const chosen = [...this.#due].slice(0, storedAtOnce);
    const stored = this.#storage.transaction(() =>
      chosen.map((clientId) => ({ clientId, base: this.#store(clientId) })),
    );
    for (const { clientId, base } of stored) {
      this.forget(clientId);
      if (!base) continue;
      const { state, beginsAt } = base;
      this.#followers.set(clientId, {
        isKnown: true,
        beginsAt,
        observations: 0,
        rows: 0,
        held: heldOf(state),
      });
      this.#world.set(clientId, state);
    }
    if (this.#due.size === 0) this.#isOverdue = false;
  }

  /** Must be called within a transaction. Returns the state to continue with after the commit. */
  #store(clientId: string): Pick<FoldedClient, 'state' | 'beginsAt'> | undefined {
    const follower = this.#followers.get(clientId);
    if (!follower) return undefined;
    const seq = this.#reached;
    const known = follower.isKnown ? this.#world.get(clientId) : undefined;
    const folded = known
      ? { state: known, beginsAt: follower.beginsAt, baseSeq: seq }
      : foldClient(this.#storage, this.#log, clientId, seq);
    // After a gap, folding the log does not lead to the state; the next checkpoint has it.
    if (!folded || (!follower.isKnown && this.#isGapAfter(folded.baseSeq))) return undefined;
    return {
      state: storeSnapshot(this.#storage, folded.state, seq, folded.beginsAt),
      beginsAt: folded.beginsAt,
    };
  }

  /** The client must be folded from the log again, because the snapshots that its fold refers to were deleted. */
  forget(clientId: string): void {
    const follower = this.#followers.get(clientId);
    if (!follower) return;
    if (follower.isKnown) this.#rows -= follower.rows;
    this.#followers.delete(clientId);
    this.#world.delete(clientId);
    this.#due.delete(clientId);
  }

  forgetAll(): void {
    this.#clear();
    this.#reached = this.#log.newestSeq;
    this.#isBehind = false;
  }

  #clear(): void {
    this.#followers.clear();
    this.#world.clear();
    this.#unfollowed = undefined;
    this.#due.clear();
    this.#isOverdue = false;
    this.#rows = 0;
    this.#isFromStart = false;
  }

  #begin(clientId: string, at: EpochMs): Follower {
    const isKnown = this.#isFromStart;
    const observations = isKnown ? 0 : this.#takeUnfollowed(clientId);
    const follower = { isKnown, beginsAt: at, observations, rows: 0, held: 0 };
    this.#followers.set(clientId, follower);
    return follower;
  }

  /** Without this number, counting would begin again after a restart, and the next snapshot would be late. */
  #takeUnfollowed(clientId: string): number {
    this.#unfollowed ??= countSinceSnapshots(this.#storage, this.#log);
    const count = this.#unfollowed.get(clientId) ?? 0;
    this.#unfollowed.delete(clientId);
    return count;
  }

  #isGapAfter(seq: number): boolean {
    return this.#storage.gaps.totals().newestSeq > seq;
  }
}

function heldOf({ reports }: ClientState): number {
  let held = 0;
  for (const { resources } of reports.values()) {
    if (!(resources instanceof LazyResources)) held += resources.size;
    else for (const count of resources.stored?.counts ?? []) held += count;
  }
  return held;
}

function countSinceSnapshots(storage: LogStorage, log: LogBlocks): Map<string, number> {
  const held = storage.snapshots.newestSeqs();
  const counts = new Map<string, number>();
  let visited = 0;
  for (const block of log.between({ order: 'desc' })) {
    if (block === null || visited++ >= countedBlocks) break;
    for (let index = 0; index < block.count; index++) {
      const clientId = block.textOf('clients', index);
      if (clientId === null || block.seqAt(index) <= (held.get(clientId) ?? 0)) continue;
      counts.set(clientId, (counts.get(clientId) ?? 0) + 1);
    }
  }
  return counts;
}
