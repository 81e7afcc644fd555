import type { EpochMs } from '@/lib/xds/units';
import type { Body } from '../../observe';

/** The properties of a block that are read without the block. */
export interface BlockMeta {
  /** Identifies the block: blocks do not overlap. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly count: number;
  readonly fromAt: EpochMs;
  readonly toAt: EpochMs;
  /** Bit n is set if the block holds an observation of storedKinds[n]. */
  readonly kinds: number;
  /** Retention does not delete the block, because a pin retains it. */
  readonly isPinned: boolean;
}

/** A block of the log, encoded by `blocks/`; everything but `hashes` is deflated. */
export interface NewBlock {
  readonly meta: Omit<BlockMeta, 'isPinned'>;
  readonly partCounts: readonly number[];
  readonly pieces: { readonly [piece in BlockPiece]: Uint8Array };
  readonly parts: readonly Uint8Array[];
}

type BlockPiece = 'columns' | 'terms' | 'hashes' | 'churn' | 'vocabulary';

/**
 * The observations, in blocks that never change and, for the newest ones, in batches until there are enough for a
 * block. Readers throw undecodable() if a part of a listed block is missing.
 */
export interface BlockStore {
  /** Returns the blocks in the order of seq. */
  list(): BlockMeta[];
  append(block: NewBlock): void;
  delete(firstSeq: number): void;
  /** `termsBytes` is the size of the part `terms`, which is not read. */
  readColumns(firstSeq: number): {
    readonly partCounts: number[];
    readonly columns: Uint8Array;
    readonly termsBytes: number;
  };
  readPiece(firstSeq: number, piece: Exclude<BlockPiece, 'columns'>): Uint8Array;
  readPart(firstSeq: number, part: number): Uint8Array;
  /** Returns the batches in the order of seq. */
  readWaiting(): Uint8Array[];
  appendWaiting(firstSeq: number, batch: Uint8Array): void;
  deleteWaiting(): void;
}

/** Parts of snapshots by number. A number is never 0, and is reused only after its chunk was deleted. */
export interface ChunkStore {
  append(bytes: Uint8Array): number;
  read(id: number): Uint8Array | undefined;
  delete(ids: Iterable<number>): void;
}

export interface NewBody extends Body {
  /** The seq of the observation that names the body. */
  readonly seq: number;
}

export interface UnnamedBody {
  readonly id: number;
  readonly hash: string;
}

/**
 * Resource bodies by hash and type URL, each stored once. Instead of references, each body has one number: the highest
 * seq that it was inserted or kept with. It is kept at least as long as the log holds an observation of that seq.
 */
export interface BodyStore {
  count(): number;
  /** Stores the bodies that are not stored yet, and returns their number; for the others it does what keep() does. */
  insert(bodies: readonly NewBody[]): number;
  /** Must be called for each observation and checkpoint that names the body, with its seq. */
  keep(hash: string, seq: number): void;
  /** Retains bodies whose observation is deleted beyond `seq`. Returns the seq up to which all are retained. */
  renew(hashes: Iterable<string>, seq: number): number;
  /** Without a type URL, a body of any type is returned. */
  read(hash: string, typeUrl: string | undefined): Body | undefined;
  /** Returns at most one body per hash; unknown hashes are left out. */
  readMany(hashes: readonly string[]): Body[];
  /** Returns bodies that are kept up to less than `keptFrom`, and that neither a permalink nor a pinned block names. */
  findUnnamed(keptFrom: number, limit: number): UnnamedBody[];
  /** Deletes those that are still unnamed, and returns their number. */
  deleteUnnamed(ids: readonly number[], keptFrom: number): number;
}
