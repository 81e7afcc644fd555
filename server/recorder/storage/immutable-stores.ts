import type { EpochMs } from '@/lib/xds/units';
import type { Body } from '../../observe';

/** What is known of a block without reading it. */
export interface BlockMeta {
  /** Identifies the block: blocks do not overlap. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Number of observations. */
  readonly count: number;
  /** Times of the earliest and of the latest observation. */
  readonly fromAt: EpochMs;
  readonly toAt: EpochMs;
  /** Bit n is set if the block holds an observation of storedKinds[n]. */
  readonly kinds: number;
  /** Retention does not delete the block, because a pin keeps it. */
  readonly isPinned: boolean;
}

/** A block of the log, encoded by `blocks/`; everything but `hashes` is deflated. */
export interface NewBlock {
  readonly meta: Omit<BlockMeta, 'isPinned'>;
  /** Number of observations in each of `parts`. */
  readonly partCounts: readonly number[];
  readonly pieces: { readonly [piece in BlockPiece]: Uint8Array };
  readonly parts: readonly Uint8Array[];
}

export type BlockPiece = 'columns' | 'terms' | 'hashes' | 'churn' | 'vocabulary';

/**
 * The observations, as blocks that never change and, for the newest ones, as batches that wait until there are enough of
 * them for a block. Readers throw undecodable() where a piece of a listed block is missing.
 */
export interface BlockStore {
  /** By seq. */
  list(): BlockMeta[];
  append(block: NewBlock): void;
  delete(firstSeq: number): void;
  /** `termsBytes`: size of the piece `terms`, which is not read. */
  readColumns(firstSeq: number): {
    readonly partCounts: number[];
    readonly columns: Uint8Array;
    readonly termsBytes: number;
  };
  readPiece(firstSeq: number, piece: Exclude<BlockPiece, 'columns'>): Uint8Array;
  readPart(firstSeq: number, part: number): Uint8Array;
  /** By seq. */
  readWaiting(): Uint8Array[];
  appendWaiting(firstSeq: number, batch: Uint8Array): void;
  deleteWaiting(): void;
}

/** Pieces of snapshots by number. A number is never 0, and is given again only after its chunk was deleted. */
export interface ChunkStore {
  append(bytes: Uint8Array): number;
  /** undefined: there is no such chunk. */
  read(id: number): Uint8Array | undefined;
  delete(ids: Iterable<number>): void;
}

export interface NewBody extends Body {
  /** Of the observation that names it. */
  readonly seq: number;
}

export interface UnnamedBody {
  readonly id: number;
  readonly hash: string;
}

/**
 * Resource bodies by hash and type URL, each stored once. A body is kept at least as long as the log holds anything of
 * the highest seq that it was inserted or kept with: instead of references, each body has that one number.
 */
export interface BodyStore {
  count(): number;
  /** Stores those that are not there yet, and returns how many; the others are kept as by keep(). */
  insert(bodies: readonly NewBody[]): number;
  /** An observation or a checkpoint with this seq names the body. */
  keep(hash: string, seq: number): void;
  /** Keeps bodies beyond `seq`, although what named them is deleted. Returns up to which seq, the same for all of them. */
  renew(hashes: Iterable<string>, seq: number): number;
  /** Without a type URL: under any. */
  read(hash: string, typeUrl: string | undefined): Body | undefined;
  /** At most one body per hash; unknown hashes are left out. */
  readMany(hashes: readonly string[]): Body[];
  /** Bodies that are kept up to less than `keptFrom`, and that neither a permalink nor a pinned block names. */
  findUnnamed(keptFrom: number, limit: number): UnnamedBody[];
  /** Deletes those that are still unnamed, and returns how many. */
  deleteUnnamed(ids: readonly number[], keptFrom: number): number;
}
