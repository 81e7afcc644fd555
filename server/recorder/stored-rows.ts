import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/observation';
import { hashText } from './hash-text';
import { bytesOf, type SqlFile } from './sql-file';

/**
 * One report's rows at one moment: by hash of their key in buckets, each a chunk of the file. A chunk never changes;
 * the next moment shares every chunk in whose bucket nothing changed.
 */
export interface StoredRows {
  /** Chunk ids by bucket; 0 is an empty bucket. Their number is a power of two. */
  readonly chunks: readonly number[];
  /** How many rows each holds. */
  readonly counts: readonly number[];
}

export type RowChanges = ReadonlyMap<string, ResourceState | null>;

/** A chunk is read and written in one go: some 60 rows are 20 kB of JSON, and 3 kB in the file. */
const rowsPerChunk = 64;
const level = 1;

/** Writes what changed. Inside a transaction. */
export function storeRows(sql: SqlFile, before: StoredRows | null, changes: RowChanges): StoredRows {
  if (before === null) return storeAll(sql, changes);
  const chunks = [...before.chunks];
  const counts = [...before.counts];
  for (const [bucket, changed] of byBucket(changes, chunks.length)) {
    const rows = new Map(readChunk(sql, chunks[bucket] ?? 0).map((row) => [resourceKey(row), row]));
    applyChanges(rows, changed);
    chunks[bucket] = writeChunk(sql, rows.values());
    counts[bucket] = rows.size;
  }
  const held = counts.reduce((sum, count) => sum + count, 0);
  if (held <= 2 * rowsPerChunk * chunks.length) return { chunks, counts };
  const all = new Map(chunks.flatMap((id) => readChunk(sql, id)).map((row) => [resourceKey(row), row]));
  deleteChunks(
    sql,
    chunks.filter((id) => !before.chunks.includes(id)),
  );
  return storeAll(sql, all);
}

function storeAll(sql: SqlFile, changes: RowChanges): StoredRows {
  const wanted = Math.max(1, changes.size / rowsPerChunk);
  const buckets = 2 ** Math.ceil(Math.log2(wanted));
  const chunks = new Array<number>(buckets).fill(0);
  const counts = new Array<number>(buckets).fill(0);
  for (const [bucket, changed] of byBucket(changes, buckets)) {
    const rows = new Map<string, ResourceState>();
    applyChanges(rows, changed);
    chunks[bucket] = writeChunk(sql, rows.values());
    counts[bucket] = rows.size;
  }
  return { chunks, counts };
}

export function readRows(sql: SqlFile, { chunks }: StoredRows): ResourceState[] {
  return chunks.flatMap((id) => readChunk(sql, id));
}

/** Rows on their way between the threads: as they are stored, and what changed since. Nobody parses them twice. */
export interface RowTexts {
  /** JSON arrays of rows. */
  readonly stored: readonly string[];
  /** The same. */
  readonly changed: string;
  /** By resourceKey(). */
  readonly removed: readonly string[];
}

export function rowTexts(sql: SqlFile, stored: StoredRows | null, changes: RowChanges): RowTexts {
  const changed: ResourceState[] = [];
  const removed: string[] = [];
  for (const [key, row] of changes) {
    if (row === null) removed.push(key);
    else changed.push(row);
  }
  const texts = stored?.chunks.filter((id) => id !== 0).map((id) => readText(sql, id)) ?? [];
  return { stored: texts, changed: JSON.stringify(changed), removed };
}

/** The rows of a RowTexts, by resourceKey(). */
export function parseRowTexts({ stored, changed, removed }: RowTexts): Map<string, ResourceState> {
  const rows = new Map<string, ResourceState>();
  for (const json of [...stored, changed]) {
    for (const row of JSON.parse(json) as ResourceState[]) rows.set(resourceKey(row), row);
  }
  for (const key of removed) rows.delete(key);
  return rows;
}

export function deleteChunks(sql: SqlFile, ids: Iterable<number>): void {
  for (const id of ids) if (id !== 0) sql.run('DELETE FROM snapshot_chunks WHERE id = ?', [id]);
}

type Change = readonly [key: string, row: ResourceState | null];

function byBucket(changes: RowChanges, buckets: number): Map<number, Change[]> {
  const found = new Map<number, Change[]>();
  for (const change of changes) {
    const bucket = hashText(change[0]) & (buckets - 1);
    const known = found.get(bucket);
    if (known) known.push(change);
    else found.set(bucket, [change]);
  }
  return found;
}

function applyChanges(rows: Map<string, ResourceState>, changes: readonly Change[]): void {
  for (const [key, row] of changes) {
    if (row === null) rows.delete(key);
    else rows.set(key, row);
  }
}

function writeChunk(sql: SqlFile, rows: Iterable<ResourceState>): number {
  const list = [...rows];
  if (list.length === 0) return 0;
  const bytes = deflateRawSync(JSON.stringify(list), { level });
  return sql.run('INSERT INTO snapshot_chunks (bytes) VALUES (?)', [bytes]).lastInsertRowid;
}

function readChunk(sql: SqlFile, id: number): ResourceState[] {
  return JSON.parse(readText(sql, id)) as ResourceState[];
}

function readText(sql: SqlFile, id: number): string {
  if (id === 0) return '[]';
  const row = sql.first<{ bytes: ArrayBuffer }>('SELECT bytes FROM snapshot_chunks WHERE id = ?', [id]);
  if (!row) throw new Error(`chunk ${id} of a snapshot is missing`);
  return inflateRawSync(bytesOf(row.bytes)).toString('utf8');
}
