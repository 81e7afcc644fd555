import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Recorded } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { LogBlock } from '../blocks/log-block';
import type { LogBlocks } from '../blocks/log-blocks';
import type { LogStorage } from '../storage/log-storage';
import { countSinceSnapshots } from './count-since-snapshots';
import { type FoldedClient, foldClient } from './fold-client';
import { LazyResources } from './lazy-resources';
import { storeSnapshot } from './snapshots';

/** A client since its newest snapshot. */
interface Follower {
  /** Is what follows all that changed since? Else the log must be read for it, as after a restart. */
  readonly isKnown: boolean;
  beginsAt: EpochMs;
  observations: number;
  rows: number;
  /** Rows that it held at its newest snapshot. */
  held: number;
}

const everyObservations = 1024;
/** Of a client with many rows: a snapshot after as many observations, or changed rows, as are this part of them. */
const heldShare = 1 / 8;
const storedAtOnce = 8;
const maxFollowers = 50_000;
/** Rows that are kept here for the next snapshots, of all clients together. */
const maxRows = 200_000;

/**
 * Sees to it that each client has a snapshot every so many observations, so that any moment is a snapshot and a short
 * fold. Follows what is written; a client that it does not know, as after a restart, is folded out of the log. In a rush
 * it lets what is written pass, and reads it out of the log afterwards: snapshots come later, and are the same.
 */
export class ClientFollowers {
  readonly #followers = new Map<string, Follower>();
  /** The folds of those of which all is known. */
  readonly #world: World = new Map();
  readonly #due = new Set<string>();
  /** Of clients that are not followed yet: observations since their newest snapshot, found out when the first of them comes. */
  #unfollowed: Map<string, number> | undefined;
  #rows = 0;
  /** Some are due for twice as long as they should be. */
  #isOverdue = false;
  /** Everything up to here was followed, or never will be. */
  #reached: number;
  #isBehind = false;

  constructor(
    private readonly storage: LogStorage,
    private readonly log: LogBlocks,
    /** Nothing is in the log yet: clients are known from their first observation on. */
    private isFromStart: boolean,
  ) {
    this.#reached = log.newestSeq;
  }

  get due(): number {
    return this.#due.size;
  }

  /** Something in the log is to be followed yet: nothing may be followed while it is written. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** By how many observations; about, where there are gaps. */
  get behind(): number {
    return this.#isBehind ? this.log.newestSeq - this.#reached : 0;
  }

  /**
   * Snapshots that are due were not stored between many writes, as when one always waits for the disk: what is followed
   * now would have none near it.
   */
  get isOverdue(): boolean {
    return this.#isOverdue;
  }

  /** What is written from now on is followed by followOn(). */
  leaveForLater(): void {
    this.#isBehind = true;
  }

  /** What is being written, in order. When that fails, everything must be forgotten. */
  follow(observation: Recorded): void {
    this.#reached = observation.seq;
    if (!('clientId' in observation)) return;
    const { clientId, at } = observation;
    const changed = 'changed' in observation ? observation.changed.length + observation.removed.length : 0;
    if (this.#count(clientId, at, changed)) foldObservation(this.#world, observation);
  }

  /** Some of what was left for later, as far as it goes without making much wait. */
  followOn(): void {
    const block = this.#nextBlock();
    for (let index = block?.firstAfter(this.#reached) ?? 0; block && index < block.count; index++) {
      const seq = block.seqAt(index);
      const clientId = block.textOf('clients', index);
      if (block.kindAt(index) === 'response-received' && clientId !== null) {
        // The fold takes nothing of a response but its place.
        const state = this.#count(clientId, block.atAt(index), 0) ? this.#world.get(clientId) : undefined;
        if (state) state.seq = seq;
        this.#reached = seq;
      } else {
        this.follow({ ...block.observation(index), seq });
      }
    }
    this.#isBehind = this.#reached < this.log.newestSeq;
    this.makeRoom();
  }

  #nextBlock(): LogBlock | undefined {
    for (const block of this.log.between({ afterSeq: this.#reached, order: 'asc' })) if (block) return block;
    return undefined;
  }

  /** What is up to there goes out of the log, or a snapshot is made of it by others: what was left of it stays so. */
  skipTo(seq: number): void {
    if (this.#isBehind && this.#reached < seq) this.forgetAll();
  }

  /** Returns whether the client's state is known, so that the observation must be folded. */
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

  /** To be called between batches. Of too many clients all are forgotten; of too many rows the largest become due. */
  makeRoom(): void {
    if (this.#followers.size > maxFollowers) {
      this.#clear();
    } else if (this.#rows > maxRows) {
      const byRows = [...this.#followers].sort(([, a], [, b]) => b.rows - a.rows);
      for (const [clientId] of byRows.slice(0, Math.ceil(byRows.length / 8))) this.#due.add(clientId);
    }
  }

  /** Stores some snapshots that are due. */
  storeNext(): void {
    const chosen = [...this.#due].slice(0, storedAtOnce);
    const stored = this.storage.transaction(() =>
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

  /** Of everything that was followed. Inside a transaction. Returns what to go on with after the commit. */
  #store(clientId: string): Pick<FoldedClient, 'state' | 'beginsAt'> | undefined {
    const follower = this.#followers.get(clientId);
    if (!follower) return undefined;
    const seq = this.#reached;
    const known = follower.isKnown ? this.#world.get(clientId) : undefined;
    const folded = known
      ? { state: known, beginsAt: follower.beginsAt, baseSeq: seq }
      : foldClient(this.storage, this.log, clientId, seq);
    // After a gap the log does not lead to the state any more: the next checkpoint does.
    if (!folded || (!follower.isKnown && this.#isGapAfter(folded.baseSeq))) return undefined;
    return {
      state: storeSnapshot(this.storage, folded.state, seq, folded.beginsAt),
      beginsAt: folded.beginsAt,
    };
  }

  /** Of this client the log must be read again: the snapshots that its fold rests on are gone. */
  forget(clientId: string): void {
    const follower = this.#followers.get(clientId);
    if (!follower) return;
    if (follower.isKnown) this.#rows -= follower.rows;
    this.#followers.delete(clientId);
    this.#world.delete(clientId);
    this.#due.delete(clientId);
  }

  /** Begins anew with what is written next. */
  forgetAll(): void {
    this.#clear();
    this.#reached = this.log.newestSeq;
    this.#isBehind = false;
  }

  #clear(): void {
    this.#followers.clear();
    this.#world.clear();
    this.#unfollowed = undefined;
    this.#due.clear();
    this.#isOverdue = false;
    this.#rows = 0;
    this.isFromStart = false;
  }

  #begin(clientId: string, at: EpochMs): Follower {
    const isKnown = this.isFromStart;
    const observations = isKnown ? 0 : this.#takeUnfollowed(clientId);
    const follower = { isKnown, beginsAt: at, observations, rows: 0, held: 0 };
    this.#followers.set(clientId, follower);
    return follower;
  }

  /** Else a restart would begin to count anew, and the next snapshot would come late. */
  #takeUnfollowed(clientId: string): number {
    this.#unfollowed ??= countSinceSnapshots(this.storage, this.log);
    const count = this.#unfollowed.get(clientId) ?? 0;
    this.#unfollowed.delete(clientId);
    return count;
  }

  #isGapAfter(seq: number): boolean {
    return this.storage.gaps.totals().newestSeq > seq;
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
