import { LRUCache } from 'lru-cache';
import type { ChurnEntry } from '@/lib/churn/churn-entry';
import { by } from '@/lib/collections/compare';
import type { Recorded } from '@/lib/observation/observation';
import { deflateBytes, inflateBytes } from '../deflate';
import type { BlockMeta, BlockStore, NewBlock } from '../storage/immutable-stores';
import { BlockBuilder, maxBlockRows } from './block-builder';
import { decodeChurn } from './block-churn';
import { decodeColumns, decodeHashes, decodeTerms } from './block-encoding';
import { BlockRows } from './block-rows';
import { buildColumns } from './column-builder';
import { decodeRows, type EncodedRows, encodeRows, packRows, unpackRows } from './encoded-rows';
import { findSorted, lowerBound } from './hash-text';
import { LogBlock } from './log-block';

/** A change of the list of blocks; it takes effect with apply(), after its transaction was committed. */
export interface BlockChange {
  readonly added: readonly BlockMeta[];
  readonly removed: readonly BlockMeta[];
  /** Observations that are not in a block yet. */
  readonly tail: readonly Recorded[];
  /** Estimated size of the batches that `tail` came in. */
  readonly tailBytes: number;
}

export interface SeqRange {
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  readonly order: 'asc' | 'desc';
}

/** Observations are stored as batches until this many of them, or enough bytes, are waiting for a block. */
const sealRows = 512;
const sealBytes = 512 * 1024;
/** The columns of a day of 1,000,000 observations take some 100 MB; a cyclic scan of more never hits the cache. */
const usuallyCachedBytes = 128 * 1024 * 1024;
const cachedHashBytes = 16 * 1024 * 1024;

/**
 * The log consists of stored blocks of some 500 to 2,000 observations and of the newest observations, which are too few
 * for a block. Decoded columns and hashes are cached. Columns, terms and churn suffice for filters; vocabulary and
 * parts are read only for observations that are returned or folded.
 */
export class LogBlocks {
  readonly #blocks: BlockStore;

  #metas: BlockMeta[] = [];
  #tail: readonly Recorded[] = [];
  #tailBlock: LogBlock | undefined;
  #blockCount = 0;
  readonly #cache: LRUCache<number, LogBlock>;
  readonly #hashes = new LRUCache<number, Uint32Array>({
    maxSize: cachedHashBytes,
    sizeCalculation: (hashes) => hashes.byteLength + 100,
  });
  readonly #rows: BlockRows;
  #tailBytes = 0;
  /** The stored batches that #tail was read from, while another thread writes the log. */
  #waiting: readonly { readonly bytes: Uint8Array; readonly rows: readonly Recorded[] }[] = [];

  constructor(blocks: BlockStore, cachedBytes = usuallyCachedBytes) {
    this.#blocks = blocks;

    this.#cache = new LRUCache({ maxSize: cachedBytes, sizeCalculation: (block) => block.sizeBytes });
    this.#rows = new BlockRows(blocks);
    this.readAgain();
  }

  /** Reads what another connection has written. What is decoded of blocks stays, because a block never changes. */
  readAgain(): void {
    const metas = this.#blocks.list();
    const stored = new Set(metas.map(({ firstSeq }) => firstSeq));
    this.#forget(this.#metas.filter(({ firstSeq }) => !stored.has(firstSeq)));
    this.#metas = metas;
    this.#blockCount = sum(metas);
    this.#waiting = this.#blocks.readWaiting().map((bytes, index) => {
      const known = this.#waiting[index];
      const isKnown = known !== undefined && Buffer.compare(known.bytes, bytes) === 0;
      return isKnown ? known : { bytes, rows: [...decodeRows(unpackRows(inflateBytes(bytes)))] };
    });
    this.#tail = this.#waiting.flatMap(({ rows }) => rows);
    this.#tailBytes = this.#waiting.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.#tailBlock = undefined;
  }

  get metas(): readonly BlockMeta[] {
    return this.#metas;
  }

  get tail(): readonly Recorded[] {
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
    return row && { seq: row.seq, at: row.at };
  }

  /**
   * Returns the newest observation made by then that counts for a client. Imported observations are appended with their
   * original times: they do not show when others were made, and therefore count for their own client alone (decision 0011).
   * A client is imported if its newest observation made by then is.
   */
  findNewest(at: number, clientId: string): { readonly seq: number; readonly isImported: boolean } | null {
    let newest: { readonly seq: number; readonly isImported: false } | null = null;
    for (const block of this.between({ order: 'desc' }, ({ fromAt }) => fromAt <= at)) {
      const client = block?.numberOf(clientId);
      if (block === null || (client === undefined && newest !== null)) continue;
      for (let index = block.count - 1; index >= 0; index--) {
        if (block.atAt(index) > at) continue;
        const seq = block.seqAt(index);
        const isImported = block.vantageAt(index) === 'dump';
        if (!isImported) newest ??= { seq, isImported };
        if (client !== undefined && block.columns.clients[index] === client)
          return isImported ? { seq, isImported } : newest;
      }
    }
    return newest;
  }

  /** Returns the seq of the client's first observation up to `untilSeq` that was made after `at`. */
  firstSeqAfter(at: number, clientId: string, untilSeq: number): number | undefined {
    for (const block of this.between({ order: 'asc', beforeSeq: untilSeq + 1 }, ({ toAt }) => toAt > at)) {
      if (block === null || block.numberOf(clientId) === undefined) continue;
      for (let index = 0; index < block.count && block.seqAt(index) <= untilSeq; index++) {
        if (block.atAt(index) > at && block.textOf('clients', index) === clientId) return block.seqAt(index);
      }
    }
    return undefined;
  }

  /** A transaction begins with this change. */
  get unchanged(): BlockChange {
    return { added: [], removed: [], tail: this.#tail, tailBytes: this.#tailBytes };
  }

  newestSeqAfter({ added, tail }: BlockChange): number {
    return tail.at(-1)?.seq ?? added.at(-1)?.lastSeq ?? this.#metas.at(-1)?.lastSeq ?? 0;
  }

  /**
   * Appends the rows of `batch` from `first` on to the log as it is after `before`; `fresh` decodes them one by one.
   * Must be called within a transaction. After its commit, the returned change must be passed to apply().
   */
  write(fresh: Iterable<Recorded>, batch: EncodedRows, first: number, before: BlockChange): BlockChange {
    const count = batch.seqs.length - first;
    const { tail, added, removed } = before;
    const bytes = before.tailBytes + batch.rows.length + batch.vocabulary.length;
    if (tail.length + count < sealRows && bytes < sealBytes) {
      const rows = [...fresh];
      this.#appendWaiting(first === 0 ? batch : encodeRows(rows));
      return { ...before, tail: [...tail, ...rows], tailBytes: bytes };
    }
    if (tail.length > 0) this.#blocks.deleteWaiting();
    if (first === 0 && count >= (tail.length === 0 ? 1 : sealRows) && count <= maxBlockRows) {
      // The batch is stored unchanged, because encoding it again together with the few waiting rows costs more than a
      // small block.
      const waiting = this.#appendBlocks(blocksOf(tail));
      const block = this.#appendBlocks([blockOf(fresh, batch)]);
      return { added: [...added, ...waiting, ...block], removed, tail: [], tailBytes: 0 };
    }
    const blocks = this.#appendBlocks(blocksOf(concat(tail, fresh)));
    return { added: [...added, ...blocks], removed, tail: [], tailBytes: 0 };
  }

  #appendBlocks(blocks: Iterable<NewBlock>): BlockMeta[] {
    return Array.from(blocks, (block) => {
      this.#blocks.append(block);
      return { ...block.meta, isPinned: false };
    });
  }

  #appendWaiting(batch: EncodedRows): void {
    const first = batch.seqs[0];
    if (first !== undefined) this.#blocks.appendWaiting(first, deflateBytes(packRows(batch)));
  }

  /**
   * Deletes rows of the tail and blocks that are not pinned. Must be called within a transaction. After its commit, the
   * returned change must be passed to apply().
   */
  deleteUntil(seq: number): BlockChange {
    const removed = this.#metas.filter(({ isPinned, lastSeq }) => !isPinned && lastSeq <= seq);
    const tail = this.#tail.filter((row) => row.seq > seq);
    for (const { firstSeq } of removed) this.#blocks.delete(firstSeq);
    if (tail.length < this.#tail.length) {
      this.#blocks.deleteWaiting();
      this.#appendWaiting(encodeRows(tail));
    }
    return { ...this.unchanged, removed, tail };
  }

  apply({ added, removed, tail, tailBytes }: BlockChange): void {
    this.#blockCount += sum(added) - sum(removed);
    this.#forget(removed);
    const left = removed.length === 0 ? this.#metas : this.#metas.filter((meta) => !removed.includes(meta));
    const isInOrder = (added[0]?.firstSeq ?? Number.MAX_SAFE_INTEGER) > (left.at(-1)?.lastSeq ?? 0);
    if (isInOrder) {
      if (left !== this.#metas) this.#metas = left;
      this.#metas.push(...added);
    } else {
      this.#metas = [...left, ...added].sort(by(({ firstSeq }) => firstSeq));
    }
    if (tail !== this.#tail) this.#tailBlock = undefined;
    this.#tail = tail;
    this.#tailBytes = tailBytes;
  }

  #forget(removed: readonly BlockMeta[]): void {
    for (const { firstSeq } of removed) {
      this.#cache.delete(firstSeq);
      this.#hashes.delete(firstSeq);
    }
    if (removed.length > 0) this.#rows.forget();
  }

  /** Must be called when pins begin or cease to retain these blocks. */
  setPinned(metas: readonly BlockMeta[], isPinned: boolean): void {
    const added = metas.map((meta) => ({ ...meta, isPinned }));
    this.apply({ ...this.unchanged, added, removed: metas });
  }

  /** Yields the blocks with observations in the range, nearest first, or null for each that `may` rejects unread. */
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
      for (let place = firstPositionAt(metas, beforeSeq) - 1; place >= 0; place--) {
        const meta = metas[place];
        if (meta === undefined || meta.lastSeq <= afterSeq) return;
        yield may(meta) ? this.block(meta) : null;
      }
      return;
    }
    for (let place = Math.max(0, firstPositionAt(metas, afterSeq + 1) - 1); place < metas.length; place++) {
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
    const { partCounts, columns, termsBytes } = this.#blocks.readColumns(meta.firstSeq);
    const source = {
      terms: () => this.#readTerms(meta.firstSeq),
      observation: (index: number, self: LogBlock) => this.#rows.observation(meta.firstSeq, self, index),
    };
    // Deflated terms are a quarter of their size in memory.
    const block = new LogBlock(decodeColumns(columns), partCounts, source, 4 * termsBytes);
    this.#cache.set(meta.firstSeq, block);
    return block;
  }

  churnOf({ firstSeq }: BlockMeta, withRepeats: boolean): ChurnEntry[] {
    return decodeChurn(this.#blocks.readPiece(firstSeq, 'churn'), withRepeats);
  }

  /** Returns false if the block lacks one of these hashes of names and versions. Only the hashes are read. */
  mayHold({ firstSeq }: BlockMeta, terms: readonly number[]): boolean {
    if (terms.length === 0) return true;
    const hashes = this.#readHashes(firstSeq);
    return terms.every((term) => findSorted(hashes, term) !== undefined);
  }

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
          const { seq: _, ...observation } = row;
          return observation;
        },
      });
    }
    return this.#tailBlock;
  }

  #readTerms(firstSeq: number) {
    return decodeTerms(this.#blocks.readPiece(firstSeq, 'terms'), this.#readHashes(firstSeq));
  }

  #readHashes(firstSeq: number): Uint32Array {
    const cached = this.#hashes.get(firstSeq);
    if (cached) return cached;
    const hashes = decodeHashes(this.#blocks.readPiece(firstSeq, 'hashes'));
    this.#hashes.set(firstSeq, hashes);
    return hashes;
  }
}

function blockOf(rows: Iterable<Recorded>, batch: EncodedRows): NewBlock {
  const builder = new BlockBuilder(batch.seqs.length, batch);
  for (const row of rows) builder.add(row);
  return builder.finish();
}

function* blocksOf(rows: Iterable<Recorded>): Generator<NewBlock> {
  let builder = new BlockBuilder(maxBlockRows);
  for (const row of rows) {
    builder.add(row);
    if (builder.count < maxBlockRows) continue;
    yield builder.finish();
    builder = new BlockBuilder(maxBlockRows);
  }
  if (builder.count > 0) yield builder.finish();
}

function* concat<T>(...lists: readonly Iterable<T>[]): Generator<T> {
  for (const list of lists) yield* list;
}

function sum(metas: readonly BlockMeta[]): number {
  return metas.reduce((total, { count }) => total + count, 0);
}

function firstPositionAt(metas: readonly BlockMeta[], seq: number): number {
  return lowerBound(metas.length, (place) => (metas[place]?.firstSeq ?? 0) < seq);
}
