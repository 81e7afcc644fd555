import type { EpochMs } from '@/lib/xds/units';

/** Folds of all clients, in chunks. Incomplete checkpoints are ignored. */
export interface CheckpointStore {
  /** Returns the number of a new, incomplete checkpoint. */
  begin(seq: number, createdAt: EpochMs): number;
  append(id: number, chunks: readonly Omit<CheckpointChunk, 'hashes'>[]): void;
  complete(id: number): void;
  newest(): StoredCheckpoint | undefined;
  /** Returns 0 if there is no such checkpoint. */
  seqOf(id: number): number;
  /** Returns the highest seq of all checkpoints, incomplete ones included, or 0 if there is none. */
  highestSeq(): number;
  /** Returns up to `limit` chunks of one client or of all after `afterChunk`, in the order of their appending. */
  read(id: number, afterChunk: number, limit: number, clientId?: string): CheckpointPage;
  /** Deletes some chunks of all checkpoints except the newest complete one. Returns whether more may be left. */
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
  /** The hash of every body that the slice names. */
  readonly hashes: readonly string[];
}

export interface CheckpointPage {
  readonly chunks: readonly string[];
  /** The `afterChunk` of the next page, or null if this is the last one. */
  readonly next: number | null;
}

/** Folds of single clients: at most one per client and seq. */
export interface SnapshotStore {
  /** Returns the newest snapshot of a client with at most this seq, or the one `back` snapshots before it. */
  find(clientId: string, seq: number, back?: number): StoredSnapshot | undefined;
  /** Returns the snapshots of a client before, at and after `seq`, in the order of seq. */
  findAround(clientId: string, seq: number): StoredSnapshot[];
  /** The result is in the order of seq. */
  seqsUntil(clientId: string, seq: number): number[];
  newestSeqs(): Map<string, number>;
  /** Replaces the snapshot of the same client and seq. */
  save(clientId: string, snapshot: Omit<StoredSnapshot, 'id'>): StoredSnapshot;
  /** The bodies that the snapshot names are kept up to this seq (BodyStore.renew()). */
  setKeptUntil(id: number, seq: number): void;
  /** Returns the clients with a snapshot of at most this seq whose bodies are kept no longer than up to it. */
  clientsKeptUntil(seq: number): string[];
  delete(id: number): void;
}

export interface StoredSnapshot {
  readonly id: number;
  /** The fold contains all observations up to this seq. */
  readonly seq: number;
  /** Time of the first observation in the fold. */
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
  readonly observations: number;
  /** Time of the newest missing observation, or null if there is no gap. */
  readonly newestAt: EpochMs | null;
}

export interface GapStore {
  /** Replaces the gap with the same fromSeq. */
  save(gap: Gap): void;
  /** Returns the gaps between two times (both included), oldest first, at most the newest 1,000. */
  read(from?: EpochMs, to?: EpochMs): Gap[];
  /** `newestSeq` is the highest missing seq, or 0 if there is no gap. */
  totals(): GapTotals & { readonly newestSeq: number };
  deleteUntil(seq: number): void;
}

/** A range of the log that retention does not delete. */
export interface Pin {
  readonly id: number;
  /** Both ends are included. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** null if the pin is for all clients. */
  readonly clientId: string | null;
  readonly label: string;
  readonly createdAt: EpochMs;
}

export interface PinStore {
  /** Returns the pins in the order in which their ranges begin. */
  list(): Pin[];
  add(pin: Omit<Pin, 'id'>): Pin;
  /** Returns whether the pin existed. */
  remove(id: number): boolean;
  /** Marks a block as pinned, and retains the bodies of `hashes`. */
  pinBlock(firstSeq: number, hashes: Iterable<string>): void;
  releaseBlock(firstSeq: number): void;
}

export interface StoredPermalink {
  readonly id: string;
  readonly createdAt: EpochMs;
  readonly json: string;
}

export interface PermalinkTotals {
  readonly count: number;
  /** Size of the stored contents, without the bodies that they name. */
  readonly sizeBytes: number;
}

/** Permalinks are never changed or deleted. */
export interface PermalinkStore {
  totals(): PermalinkTotals;
  /** The bodies of `hashes` are never deleted. Returns the size of the stored content. */
  save(permalink: StoredPermalink, hashes: readonly string[]): number;
  read(id: string): StoredPermalink | undefined;
}
