import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { EpochMs } from '@/lib/xds/units';
import type { LogRow } from './block-columns';
import { foldClient } from './fold-client';
import { LazyResources } from './lazy-resources';
import type { LogBlocks } from './log-blocks';
import { storeSnapshot } from './snapshots';
import type { SqlFile } from './sql-file';

/** A client since its newest snapshot. */
interface Follower {
  /** Is what follows all that changed since? Else the log must be read for it, as after a restart. */
  readonly isKnown: boolean;
  /** Its fold; undefined while nothing made the client known. */
  state: ClientState | undefined;
  beginsAt: EpochMs;
  observations: number;
  rows: number;
  /** Rows that it held at its newest snapshot. */
  held: number;
}

const everyObservations = 1024;
/** Of a client with many rows: a snapshot after as many observations, or changed rows, as are this part of them. */
const heldShare = 1 / 4;
const storedAtOnce = 8;
const maxFollowers = 50_000;
/** Rows that are kept here for the next snapshots, of all clients together. */
const maxRows = 200_000;

/**
 * Sees to it that each client has a snapshot every so many observations, so that any moment is a snapshot and a short
 * fold. Follows what is written; a client that it does not know, as after a restart, is folded out of the log.
 */
export class ClientFollowers {
  readonly #followers = new Map<string, Follower>();
  readonly #due = new Set<string>();
  #rows = 0;

  constructor(
    private readonly sql: SqlFile,
    private readonly log: LogBlocks,
    /** Nothing is in the log yet: clients are known from their first observation on. */
    private isFromStart: boolean,
  ) {}

  get due(): number {
    return this.#due.size;
  }

  /** What was written, after its commit, oldest first. */
  follow(rows: readonly LogRow[], hasGaps: boolean): void {
    if (hasGaps) this.forgetAll();
    for (const { observation } of rows) {
      if (!('clientId' in observation)) continue;
      const { clientId } = observation;
      const follower = this.#followers.get(clientId) ?? this.#begin(clientId, observation.at);
      follower.observations += 1;
      if ('changed' in observation) {
        const changed = observation.changed.length + observation.removed.length;
        follower.rows += changed;
        if (follower.isKnown) this.#rows += changed;
      }
      if (follower.isKnown) {
        const world: World = new Map(follower.state ? [[clientId, follower.state]] : []);
        foldObservation(world, observation);
        follower.state = world.get(clientId);
      }
      const enough = Math.max(everyObservations, follower.held * heldShare);
      if (follower.observations >= enough || follower.rows >= enough) this.#due.add(clientId);
    }
    if (this.#rows > maxRows || this.#followers.size > maxFollowers) this.#makeRoom();
  }

  /** Stores some snapshots that are due. Returns whether there are more. */
  storeNext(): boolean {
    const stored: [clientId: string, follower: Follower | undefined][] = [];
    const chosen = [...this.#due].slice(0, storedAtOnce);
    this.sql.transaction(() => {
      for (const clientId of chosen) stored.push([clientId, this.#store(clientId)]);
    });
    for (const [clientId, follower] of stored) {
      this.forget(clientId);
      if (follower) this.#followers.set(clientId, follower);
    }
    return this.#due.size > 0;
  }

  /** Of everything that is in the log now. Inside a transaction; what it returns holds after the commit. */
  #store(clientId: string): Follower | undefined {
    const follower = this.#followers.get(clientId);
    if (!follower) return undefined;
    const seq = this.log.newestSeq;
    const { state: known, beginsAt } = follower;
    const folded =
      follower.isKnown && known
        ? { state: known, beginsAt, baseSeq: seq }
        : foldClient(this.sql, this.log, clientId, seq);
    // After a gap the log does not lead to the state any more: the next checkpoint does.
    if (!folded || (!follower.isKnown && this.#isGapAfter(folded.baseSeq))) return undefined;
    const state = storeSnapshot(this.sql, folded.state, seq, folded.beginsAt);
    const held = heldOf(state);
    return { isKnown: true, state, beginsAt: folded.beginsAt, observations: 0, rows: 0, held };
  }

  /** Of this client the log must be read again: the snapshots that its fold rests on are gone. */
  forget(clientId: string): void {
    const follower = this.#followers.get(clientId);
    if (!follower) return;
    if (follower.isKnown) this.#rows -= follower.rows;
    this.#followers.delete(clientId);
    this.#due.delete(clientId);
  }

  forgetAll(): void {
    this.#followers.clear();
    this.#due.clear();
    this.#rows = 0;
    this.isFromStart = false;
  }

  #begin(clientId: string, at: EpochMs): Follower {
    const follower: Follower = {
      isKnown: this.isFromStart,
      state: undefined,
      beginsAt: at,
      observations: 0,
      rows: 0,
      held: 0,
    };
    this.#followers.set(clientId, follower);
    return follower;
  }

  /** Those with the most rows get their snapshot now; of too many clients all are forgotten. */
  #makeRoom(): void {
    if (this.#followers.size > maxFollowers) {
      this.forgetAll();
      return;
    }
    const byRows = [...this.#followers].sort(([, a], [, b]) => b.rows - a.rows);
    for (const [clientId] of byRows.slice(0, Math.ceil(byRows.length / 8))) this.#due.add(clientId);
  }

  #isGapAfter(seq: number): boolean {
    return (this.sql.number('SELECT max(to_seq) AS n FROM gaps') ?? 0) > seq;
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
