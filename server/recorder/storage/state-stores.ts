import type { EpochMs } from '@/lib/xds/units';

/** Folds of all clients, in chunks. Only a complete checkpoint counts. */
export interface CheckpointStore {
  /** Returns the number of a new, incomplete checkpoint. */
  begin(seq: number, createdAt: EpochMs): number;
  append(id: number, chunks: readonly Omit<CheckpointChunk, 'hashes'>[]): void;
  complete(id: number): void;
  newest(): StoredCheckpoint | undefined;
  /** 0: there is no such checkpoint. */
  seqOf(id: number): number;
  /** The highest seq of all checkpoints, incomplete ones included; 0: there is none. */
  highestSeq(): number;
  /** Up to `limit` chunks after `afterChunk`, in the order in which they were appended: of one client, or of all. */
  read(id: number, afterChunk: number, limit: number, clientId?: string): CheckpointPage;
  /** Deletes some chunks of all checkpoints but the newest complete one. Returns whether there may be more to delete. */
  deleteStale(limit: number): boolean;
}

export interface StoredCheckpoint {
  readonly id: number;
  readonly seq: number;
}

/** A slice of one client's state. */
export interface CheckpointChunk {
  readonly clientId: string;
  readonly json: string;
  /** Every body that the slice names. */
  readonly hashes: readonly string[];
}

export interface CheckpointPage {
  readonly chunks: readonly string[];
  /** The `afterChunk` of the next page; null: this is the last one. */
  readonly next: number | null;
}

/** Folds of single clients: at most one per client and seq. */
export interface SnapshotStore {
  /** The newest one of a client with at most this seq, or the one `back` snapshots before it. */
  find(clientId: string, seq: number, back?: number): StoredSnapshot | undefined;
  /** Snapshots of a client around `seq`: the one before, the one at `seq`, and the one after, by seq. */
  findAround(clientId: string, seq: number): StoredSnapshot[];
  /** By seq. */
  seqsUntil(clientId: string, seq: number): number[];
  newestSeqs(): Map<string, number>;
  /** Replaces the snapshot of the same client and seq. */
  save(clientId: string, snapshot: Omit<StoredSnapshot, 'id'>): StoredSnapshot;
  /** The bodies that it names are kept up to this seq (BodyStore.renew()). */
  setKeptUntil(id: number, seq: number): void;
  /** Clients with a snapshot of at most this seq whose bodies are kept no longer than up to it. */
  clientsKeptUntil(seq: number): string[];
  delete(id: number): void;
}

export interface StoredSnapshot {
  readonly id: number;
  /** All observations up to this seq are folded in. */
  readonly seq: number;
  /** Time of the first observation that is folded in. */
  readonly beginsAt: EpochMs;
  readonly json: string;
}

/** Observations that could not be recorded, both ends included. */
export interface Gap {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromAt: EpochMs;
  readonly toAt: EpochMs;
  readonly reason: string;
}

export interface GapTotals {
  readonly count: number;
  /** Number of observations that are missing. */
  readonly observations: number;
  /** Time of the newest missing observation; null: there is no gap. */
  readonly newestAt: EpochMs | null;
}

export interface GapStore {
  /** Replaces the gap with the same fromSeq. */
  save(gap: Gap): void;
  /** Gaps between two moments (both included), oldest first; at most the newest 1,000. */
  read(from?: EpochMs, to?: EpochMs): Gap[];
  /** `newestSeq`: the highest seq that is missing; 0: there is no gap. */
  totals(): GapTotals & { readonly newestSeq: number };
  /** Deletes the gaps that end at this seq or before. */
  deleteUntil(seq: number): void;
}

/** A range of the log that retention does not delete. */
export interface Pin {
  readonly id: number;
  /** Both included. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** null: all clients. */
  readonly clientId: string | null;
  readonly label: string;
  readonly createdAt: EpochMs;
}

export interface PinStore {
  /** By the beginning of their ranges. */
  list(): Pin[];
  add(pin: Omit<Pin, 'id'>): Pin;
  /** Returns whether there was one. */
  remove(id: number): boolean;
  /** Marks a block as pinned, and keeps the bodies of `hashes`. */
  pinBlock(firstSeq: number, hashes: Iterable<string>): void;
  /** Undoes pinBlock(). */
  releaseBlock(firstSeq: number): void;
}

export interface StoredPermalink {
  readonly id: string;
  readonly createdAt: EpochMs;
  readonly json: string;
}

/** Permalinks are never changed or deleted. */
export interface PermalinkStore {
  /** The bodies of `hashes` are never deleted. */
  save(permalink: StoredPermalink, hashes: readonly string[]): void;
  read(id: string): StoredPermalink | undefined;
}
