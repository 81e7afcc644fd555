import { LRUCache } from 'lru-cache';
import type { ChurnEntry } from '@/lib/churn/churn-entry';
import { isImportedClient } from '../../client-id';
import { deflateBytes, inflateBytes } from '../deflate';
import type { BlockMeta, BlockStore, NewBlock } from '../storage/immutable-stores';
import { BlockBuilder, maxBlockRows } from './block-builder';
import { decodeChurn } from './block-churn';
import { decodeColumns, decodeHashes, decodeTerms } from './block-encoding';
import { BlockRows } from './block-rows';
import { buildColumns } from './column-builder';
import { decodeRows, type EncodedRows, encodeRows, packRows, unpackRows } from './encoded-rows';
import { findSorted } from './hash-text';
import { LogBlock } from './log-block';
import { type LogRow, plainObservation } from './log-row';

/** A change that holds once its transaction is committed. */
export interface BlockChange {
  readonly added: readonly BlockMeta[];
  readonly removed: readonly BlockMeta[];
  /** Not in a block yet. */
  readonly tail: readonly LogRow[];
  /** Of the batches that it came in; about. */
  readonly tailBytes: number;
}

/** Exclusive, both. */
export interface SeqRange {
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  readonly order: 'asc' | 'desc';
}

/** So many rows make a block; fewer wait. */
const sealRows = 512;
const sealBytes = 512 * 1024;
/** Of columns; a day of 1,000,000 observations is some 100 MB, and a scan of more than fits finds nothing of it. */
const cachedBytes = 128 * 1024 * 1024;
const cachedHashBytes = 16 * 1024 * 1024;

/**
 * The log in the file: blocks of some 500 to 2,000 observations, and the newest ones, too few for a block yet.
 *
 *   block_index   columns to filter by, and names and versions by hash      (decoded: cached)
 *                 what churn is counted from
 *                 the vocabulary of the rows                                (read for what is shown or folded)
 *   block_parts   the rows, deflated                                        (the same)
 */
export class LogBlocks {
  /** By seq. */
  #metas: BlockMeta[];
  #tail: readonly LogRow[];
  #tailBlock: LogBlock | undefined;
  /** Observations in blocks. */
  #blockCount: number;
  readonly #cache = new LRUCache<number, LogBlock>({
    maxSize: cachedBytes,
    sizeCalculation: (block) => block.sizeBytes,
  });
  readonly #hashes = new LRUCache<number, Uint32Array>({
    maxSize: cachedHashBytes,
    sizeCalculation: (hashes) => hashes.byteLength + 100,
  });
  readonly #rows: BlockRows;
  /** Of the rows that wait. */
  #tailBytes: number;

  constructor(private readonly blocks: BlockStore) {
    this.#rows = new BlockRows(blocks);
    this.#metas = blocks.list();
    this.#blockCount = sum(this.#metas);
    const waiting = blocks.readWaiting();
    this.#tail = waiting.flatMap((batch) => [...decodeRows(unpackRows(inflateBytes(batch)))]);
    this.#tailBytes = waiting.reduce((bytes, batch) => bytes + batch.length, 0);
  }

  get metas(): readonly BlockMeta[] {
    return this.#metas;
  }

  get tail(): readonly LogRow[] {
    return this.#tail;
  }

  get count(): number {
    return this.#blockCount + this.#tail.length;
  }

  get newestSeq(): number {
    return this.newestSeqAfter(this.unchanged);
  }

  get oldest(): { readonly seq: number; readonly at: number } | undefined {
    const first = this.#metas.find(({ isPinned }) => !isPinned);
    if (first) return { seq: first.firstSeq, at: first.fromAt };
    const row = this.#tail[0];
    return row && { seq: row.seq, at: row.observation.at };
  }

  /**
   * Of the newest observation that was made by then, as far as a client is concerned; null: there is none. What came
   * from a file is in the log when it was imported, with times of long before: it says nothing of when others were
   * observed, and others say nothing of it (decision 0011).
   */
  seqAt(at: number, clientId: string): number | null {
    const isImported = isImportedClient(clientId);
    const counts = (block: LogBlock, index: number) =>
      isImported ? block.textOf('clients', index) === clientId : block.vantageAt(index) !== 'dump';
    const newestOf = (block: LogBlock) => {
      if (isImported && block.numberOf(clientId) === undefined) return undefined;
      for (let index = block.count - 1; index >= 0; index--) {
        if (block.atAt(index) <= at && counts(block, index)) return index;
      }
      return undefined;
    };
    for (const block of this.between({ order: 'desc' }, ({ fromAt }) => fromAt <= at)) {
      const index = block === null ? undefined : newestOf(block);
      if (block !== null && index !== undefined) return block.seqAt(index);
    }
    return null;
  }

  /** Of the client's first observation up to `untilSeq` that was made after that; undefined: there is none. */
  firstSeqAfter(at: number, clientId: string, untilSeq: number): number | undefined {
    for (const block of this.between({ order: 'asc', beforeSeq: untilSeq + 1 }, ({ toAt }) => toAt > at)) {
      if (block === null || block.numberOf(clientId) === undefined) continue;
      for (let index = 0; index < block.count && block.seqAt(index) <= untilSeq; index++) {
        if (block.atAt(index) > at && block.textOf('clients', index) === clientId) return block.seqAt(index);
      }
    }
    return undefined;
  }

  /** For a transaction that writes: what it changes, at first nothing. */
  get unchanged(): BlockChange {
    return { added: [], removed: [], tail: this.#tail, tailBytes: this.#tailBytes };
  }

  /** Of the log as it is after `change`. */
  newestSeqAfter({ added, tail }: BlockChange): number {
    return tail.at(-1)?.seq ?? added.at(-1)?.lastSeq ?? this.#metas.at(-1)?.lastSeq ?? 0;
  }

  /**
   * Takes what follows the newest observation after `before`: those of `batch` from `first` on, which `fresh` makes one
   * by one. Inside a transaction; what it returns must be given to apply() after the commit.
   */
  write(fresh: Iterable<LogRow>, batch: EncodedRows, first: number, before: BlockChange): BlockChange {
    const count = batch.seqs.length - first;
    const { tail, added, removed } = before;
    const bytes = before.tailBytes + batch.rows.length + batch.vocabulary.length;
    if (tail.length + count < sealRows && bytes < sealBytes) {
      const rows = [...fresh];
      this.#appendWaiting(first === 0 ? batch : encodeRows(rows));
      return { ...before, tail: [...tail, ...rows], tailBytes: bytes };
    }
    if (tail.length > 0) this.blocks.deleteWaiting();
    if (first === 0 && count >= (tail.length === 0 ? 1 : sealRows) && count <= maxBlockRows) {
      // As it is: encoding it anew together with the few that wait would cost more than a small block does.
      const waiting = this.#appendBlocks(draftsOf(tail));
      const block = this.#appendBlocks([draftOf(fresh, batch)]);
      return { added: [...added, ...waiting, ...block], removed, tail: [], tailBytes: 0 };
    }
    const blocks = this.#appendBlocks(draftsOf(oneAfterTheOther(tail, fresh)));
    return { added: [...added, ...blocks], removed, tail: [], tailBytes: 0 };
  }

  #appendBlocks(blocks: Iterable<NewBlock>): BlockMeta[] {
    return Array.from(blocks, (block) => {
      this.blocks.append(block);
      return { ...block.meta, isPinned: false };
    });
  }

  #appendWaiting(batch: EncodedRows): void {
    const first = batch.seqs[0];
    if (first !== undefined) this.blocks.appendWaiting(first, deflateBytes(packRows(batch)));
  }

  /** Deletes blocks, and the waiting rows up to `seq`. Within a transaction; apply() must follow the commit. */
  deleteUntil(seq: number): BlockChange {
    const removed = this.#metas.filter(({ isPinned, lastSeq }) => !isPinned && lastSeq <= seq);
    const tail = this.#tail.filter((row) => row.seq > seq);
    for (const { firstSeq } of removed) this.blocks.delete(firstSeq);
    if (tail.length < this.#tail.length) {
      this.blocks.deleteWaiting();
      this.#appendWaiting(encodeRows(tail));
    }
    return { ...this.unchanged, removed, tail };
  }

  apply({ added, removed, tail, tailBytes }: BlockChange): void {
    this.#blockCount += sum(added) - sum(removed);
    for (const { firstSeq } of removed) {
      this.#cache.delete(firstSeq);
      this.#hashes.delete(firstSeq);
    }
    if (removed.length > 0) this.#rows.forget();
    const left = removed.length === 0 ? this.#metas : this.#metas.filter((meta) => !removed.includes(meta));
    const isInOrder = (added[0]?.firstSeq ?? Number.MAX_SAFE_INTEGER) > (left.at(-1)?.lastSeq ?? 0);
    if (isInOrder) {
      if (left !== this.#metas) this.#metas = left;
      this.#metas.push(...added);
    } else {
      this.#metas = [...left, ...added].sort((a, b) => a.firstSeq - b.firstSeq);
    }
    if (tail !== this.#tail) this.#tailBlock = undefined;
    this.#tail = tail;
    this.#tailBytes = tailBytes;
  }

  /** Notes that a pin keeps these blocks, or no longer does. */
  setPinned(metas: readonly BlockMeta[], isPinned: boolean): void {
    const added = metas.map((meta) => ({ ...meta, isPinned }));
    this.apply({ ...this.unchanged, added, removed: metas });
  }

  /** Blocks that hold anything between the two (exclusive), nearest first; those that `may` rejects are not read. */
  *between(
    { afterSeq = 0, beforeSeq = Number.MAX_SAFE_INTEGER, order }: SeqRange,
    may: (meta: BlockMeta) => boolean = () => true,
  ): Generator<LogBlock | null> {
    const metas = this.#metas;
    const tail = () => {
      const newest = this.#tail.at(-1);
      const first = this.#tail[0];
      const isWanted =
        newest !== undefined && first !== undefined && newest.seq > afterSeq && first.seq < beforeSeq;
      return isWanted ? this.tailBlock : undefined;
    };
    if (order === 'desc') {
      const block = tail();
      if (block) yield block;
      for (let place = firstPlace(metas, beforeSeq) - 1; place >= 0; place--) {
        const meta = metas[place];
        if (meta === undefined || meta.lastSeq <= afterSeq) return;
        yield may(meta) ? this.block(meta) : null;
      }
      return;
    }
    for (let place = Math.max(0, firstPlace(metas, afterSeq + 1) - 1); place < metas.length; place++) {
      const meta = metas[place];
      if (meta === undefined || meta.firstSeq >= beforeSeq) break;
      if (meta.lastSeq > afterSeq) yield may(meta) ? this.block(meta) : null;
    }
    const block = tail();
    if (block) yield block;
  }

  block(meta: BlockMeta): LogBlock {
    const cached = this.#cache.get(meta.firstSeq);
    if (cached) return cached;
    const { partCounts, columns, termsBytes } = this.blocks.readColumns(meta.firstSeq);
    const source = {
      terms: () => this.#readTerms(meta.firstSeq),
      observation: (index: number, self: LogBlock) => this.#rows.observation(meta.firstSeq, self, index),
    };
    // Deflated they are a quarter of what they are in memory.
    const block = new LogBlock(decodeColumns(columns), partCounts, source, 4 * termsBytes);
    this.#cache.set(meta.firstSeq, block);
    return block;
  }

  /** See decodeChurn(). */
  churnOf({ firstSeq }: BlockMeta, withRepeats: boolean): ChurnEntry[] {
    return decodeChurn(this.blocks.readPiece(firstSeq, 'churn'), withRepeats);
  }

  /** May it say all of these names and versions (by hash)? Reported by less than reading the block takes. */
  mayHold({ firstSeq }: BlockMeta, terms: readonly number[]): boolean {
    if (terms.length === 0) return true;
    const hashes = this.#readHashes(firstSeq);
    return terms.every((term) => findSorted(hashes, term) !== undefined);
  }

  /** The newest observations; undefined: all are in blocks. */
  get tailBlock(): LogBlock | undefined {
    const rows = this.#tail;
    if (rows.length === 0) return undefined;
    if (!this.#tailBlock) {
      const { columns, terms } = buildColumns(rows);
      this.#tailBlock = new LogBlock(columns, [], {
        terms: () => terms,
        observation(index) {
          const row = rows[index];
          if (row === undefined) throw new RangeError(`expected one of ${rows.length} rows, got ${index}`);
          return plainObservation(row);
        },
      });
    }
    return this.#tailBlock;
  }

  #readTerms(firstSeq: number) {
    return decodeTerms(this.blocks.readPiece(firstSeq, 'terms'), this.#readHashes(firstSeq));
  }

  #readHashes(firstSeq: number): Uint32Array {
    const cached = this.#hashes.get(firstSeq);
    if (cached) return cached;
    const hashes = decodeHashes(this.blocks.readPiece(firstSeq, 'hashes'));
    this.#hashes.set(firstSeq, hashes);
    return hashes;
  }
}

/** A block of a whole batch, whose rows are taken as they are. */
function draftOf(rows: Iterable<LogRow>, batch: EncodedRows): NewBlock {
  const builder = new BlockBuilder(batch.seqs.length, batch);
  for (const row of rows) builder.add(row);
  return builder.finish();
}

function* draftsOf(rows: Iterable<LogRow>): Generator<NewBlock> {
  let builder = new BlockBuilder(maxBlockRows);
  for (const row of rows) {
    builder.add(row);
    if (builder.count < maxBlockRows) continue;
    yield builder.finish();
    builder = new BlockBuilder(maxBlockRows);
  }
  if (builder.count > 0) yield builder.finish();
}

function* oneAfterTheOther<T>(...lists: readonly Iterable<T>[]): Generator<T> {
  for (const list of lists) yield* list;
}

function sum(metas: readonly BlockMeta[]): number {
  return metas.reduce((total, { count }) => total + count, 0);
}

/** Of the first block that begins at `seq` or later. */
function firstPlace(metas: readonly BlockMeta[], seq: number): number {
  let low = 0;
  let high = metas.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((metas[middle]?.firstSeq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
