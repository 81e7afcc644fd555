import { LRUCache } from 'lru-cache';
import type { ChurnEntry } from '@/lib/view-model/churn/churn-entry';
import { isImportedClient } from '../client-id';
import { BlockBuilder, type BlockDraft } from './block-builder';
import { decodeChurn } from './block-churn';
import { decodeColumns, decodeHashes, decodeTerms } from './block-encoding';
import type { BlockMeta } from './block-meta';
import { unpackPart } from './block-parts';
import { deleteBlock, insertBlock, partId } from './block-store';
import { buildColumns } from './column-builder';
import { findSorted } from './find-sorted';
import { LogBlock } from './log-block';
import { jsonOf, type LogRow, logRowOf } from './log-row';
import { packJson, unpackJson } from './packing';
import { bytesOf, type SqlFile, type SqlText } from './sql-file';

/** A change that holds once its transaction is committed. */
export interface BlockChange {
  readonly added: readonly BlockMeta[];
  readonly removed: readonly BlockMeta[];
  /** Not in a block yet. */
  readonly tail: readonly LogRow[];
}

/** Exclusive, both. */
export interface SeqRange {
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  readonly order: 'asc' | 'desc';
}

/** So many rows make a block; fewer wait as rows of their own. */
const sealRows = 512;
const sealBytes = 1024 * 1024;
const maxBlockRows = 2048;
/** Of columns; a day of 1,000,000 observations is some 100 MB, and a scan of more than fits finds nothing of it. */
const cachedBytes = 128 * 1024 * 1024;
const cachedTextChars = 16 * 1024 * 1024;
const cachedHashBytes = 16 * 1024 * 1024;

/**
 * The log in the file: blocks of some 500 to 2,000 observations, and the newest ones, too few for a block yet, as rows.
 *
 *   block_index   columns to filter by, and names and versions by hash      (decoded: cached)
 *                 what churn is counted from
 *   block_parts   the texts, deflated                                       (read for what is shown or folded)
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
  readonly #texts = new LRUCache<number, string[]>({
    maxSize: cachedTextChars,
    sizeCalculation: (texts) => texts.reduce((sum, { length }) => sum + length, 1),
  });

  constructor(private readonly sql: SqlFile) {
    this.#metas = sql
      .all<Omit<BlockMeta, 'isPinned'> & { pinned: number }>(
        `SELECT first_seq AS firstSeq, last_seq AS lastSeq, count, from_at AS fromAt, to_at AS toAt, kinds, pinned
           FROM blocks ORDER BY first_seq`,
      )
      .map(({ pinned, ...meta }) => ({ ...meta, isPinned: pinned !== 0 }));
    this.#blockCount = sum(this.#metas);
    this.#tail = sql
      .all<{ seq: number; json: SqlText }>('SELECT seq, json FROM recent ORDER BY seq')
      .map(({ seq, json }) => logRowOf(seq, Buffer.from(unpackJson(json))));
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
    return this.#tail.at(-1)?.seq ?? this.#metas.at(-1)?.lastSeq ?? 0;
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

  /**
   * Takes what follows the newest observation: so many, of so many bytes. Inside a transaction; what it returns must be
   * given to apply() after the commit.
   */
  write(fresh: Iterable<LogRow>, count: number, bytes: number): BlockChange {
    if (this.#tail.length + count < sealRows && bytesOfRows(this.#tail) + bytes < sealBytes) {
      const rows = Array.from(fresh, (row) => ({ ...row, text: Uint8Array.from(row.text) }));
      for (const row of rows) {
        this.sql.run('INSERT INTO recent (seq, json) VALUES (?, ?)', [row.seq, packJson(jsonOf(row))]);
      }
      return { added: [], removed: [], tail: [...this.#tail, ...rows] };
    }
    if (this.#tail.length > 0) this.sql.run('DELETE FROM recent');
    return { added: this.insertBlocks(oneAfterTheOther(this.#tail, fresh)), removed: [], tail: [] };
  }

  /** Inside a transaction. */
  insertBlocks(rows: Iterable<LogRow>): BlockMeta[] {
    return Array.from(draftsOf(rows), (draft) => insertBlock(this.sql, draft));
  }

  /** Inside a transaction. */
  deleteBlock(meta: BlockMeta): void {
    deleteBlock(this.sql, meta);
  }

  apply({ added, removed, tail }: BlockChange): void {
    this.#blockCount += sum(added) - sum(removed);
    for (const { firstSeq } of removed) {
      this.#cache.delete(firstSeq);
      this.#hashes.delete(firstSeq);
    }
    if (removed.length > 0) this.#texts.clear();
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
  }

  /** With no change to the rows that wait. */
  applyBlocks(added: readonly BlockMeta[], removed: readonly BlockMeta[]): void {
    this.apply({ added, removed, tail: this.#tail });
  }

  /** Blocks that hold anything between the two (exclusive), nearest first; those that `may` refuses are not read. */
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
    const row = this.sql.first<{ parts: string; columns: ArrayBuffer; termsBytes: number }>(
      'SELECT parts, columns, length(terms) AS termsBytes FROM block_index WHERE first_seq = ?',
      [meta.firstSeq],
    );
    if (!row) throw new Error(`block ${meta.firstSeq} has no columns`);
    const source = {
      terms: () => this.#readTerms(meta.firstSeq),
      texts: (indices: readonly number[], self: LogBlock) => this.#readTexts(meta.firstSeq, self, indices),
    };
    // Deflated they are a quarter of what they are in memory.
    const block = new LogBlock(
      decodeColumns(bytesOf(row.columns)),
      JSON.parse(row.parts),
      source,
      4 * row.termsBytes,
    );
    this.#cache.set(meta.firstSeq, block);
    return block;
  }

  /** See decodeChurn(); undefined: an older version wrote the block, and only its texts tell. */
  churnOf({ firstSeq }: BlockMeta, withRepeats: boolean): ChurnEntry[] | undefined {
    const row = this.sql.first<{ churn: ArrayBuffer | null }>(
      'SELECT churn FROM block_index WHERE first_seq = ?',
      [firstSeq],
    );
    return row && row.churn !== null ? decodeChurn(bytesOf(row.churn), withRepeats) : undefined;
  }

  /** May it say all of these names and versions (by hash)? Told by less than reading the block takes. */
  mayHold({ firstSeq }: BlockMeta, terms: readonly number[]): boolean {
    if (terms.length === 0) return true;
    const hashes = this.#readHashes(firstSeq);
    return hashes === null || terms.every((term) => findSorted(hashes, term) !== undefined);
  }

  /** The newest observations; undefined: all are in blocks. */
  get tailBlock(): LogBlock | undefined {
    const rows = this.#tail;
    if (rows.length === 0) return undefined;
    if (!this.#tailBlock) {
      const { columns, terms } = buildColumns(rows);
      this.#tailBlock = new LogBlock(columns, [], {
        terms: () => terms,
        texts: (indices) =>
          indices.map((index) => {
            const row = rows[index];
            return row === undefined ? '' : jsonOf(row);
          }),
      });
    }
    return this.#tailBlock;
  }

  #readTerms(firstSeq: number) {
    const row = this.sql.first<{ terms: ArrayBuffer }>('SELECT terms FROM block_index WHERE first_seq = ?', [
      firstSeq,
    ]);
    if (!row) throw new Error(`block ${firstSeq} has no terms`);
    return decodeTerms(bytesOf(row.terms), this.#readHashes(firstSeq) ?? undefined);
  }

  /** null: the block has them in its terms only. */
  #readHashes(firstSeq: number): Uint32Array | null {
    const cached = this.#hashes.get(firstSeq);
    if (cached) return cached;
    const row = this.sql.first<{ hashes: ArrayBuffer | null }>(
      'SELECT hashes FROM block_index WHERE first_seq = ?',
      [firstSeq],
    );
    if (!row || row.hashes === null) return null;
    const hashes = decodeHashes(bytesOf(row.hashes));
    this.#hashes.set(firstSeq, hashes);
    return hashes;
  }

  #readTexts(firstSeq: number, block: LogBlock, indices: readonly number[]): string[] {
    return indices.map((index) => {
      const place = block.placeOf(index);
      return this.#readPart(partId(firstSeq, place.part))[place.index] ?? '';
    });
  }

  #readPart(id: number): string[] {
    const cached = this.#texts.get(id);
    if (cached) return cached;
    const row = this.sql.first<{ bytes: ArrayBuffer }>('SELECT bytes FROM block_parts WHERE id = ?', [id]);
    if (!row) throw new Error(`part ${id} of the log is missing`);
    const texts = unpackPart(bytesOf(row.bytes));
    this.#texts.set(id, texts);
    return texts;
  }
}

function* draftsOf(rows: Iterable<LogRow>): Generator<BlockDraft> {
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

function bytesOfRows(rows: readonly LogRow[]): number {
  return rows.reduce((sum, { text }) => sum + text.length, 0);
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
