import type { ResourceState } from '@/lib/observation/observation';
import { hashText } from '../blocks/hash-text';
import { undecodable } from '../damaged-file';
import { deflateBytes, inflateBytes } from '../deflate';
import type { ChunkStore } from '../storage/immutable-stores';
import { applyChanges } from './client-texts';
import { formatChanges, parseChanges, type RowChange } from './row-columns';

/**
 * One report's rows at one moment: by hash of their key in buckets, each a chunk of the file, and on top of them what
 * changed since they were written, layer by layer. A chunk never changes; the next moment shares all of them, or, when
 * the layers have become many, those in whose bucket nothing changed.
 */
export interface StoredRows {
  /** Chunk ids by bucket; 0 is an empty bucket. Their number is a power of two. */
  readonly chunks: readonly number[];
  /** How many rows each holds. */
  readonly counts: readonly number[];
  /** Oldest first. Not there: none. */
  readonly layers?: readonly StoredLayer[];
}

/** A chunk with the rows that changed, and the keys of those that went. */
interface StoredLayer {
  readonly id: number;
  readonly count: number;
}

export type RowChanges = ReadonlyMap<string, ResourceState | null>;

/** A chunk is read and written in one go: some 60 rows are 20 kB of JSON, and 3 kB in the file. */
const rowsPerChunk = 128;
/** Whoever reads rows reads their layers too: so many, and together no more than this part of the rows below. */
const maxLayers = 16;
const layeredShare = 1 / 2;
const changesPerText = 500;

/** Writes what changed. Inside a transaction. */
export function storeRows(store: ChunkStore, before: StoredRows | null, changes: RowChanges): StoredRows {
  if (before === null) return storeAll(store, changes);
  if (changes.size === 0) return before;
  const { layers = [] } = before;
  const layered = layers.reduce((sum, { count }) => sum + count, changes.size);
  const held = before.counts.reduce((sum, count) => sum + count, 0);
  if (layers.length < maxLayers && layered <= held * layeredShare) {
    return { ...before, layers: [...layers, { id: writeChunk(store, changes), count: changes.size }] };
  }
  return storeMerged(
    store,
    before,
    new Map([...layers.flatMap(({ id }) => readChunk(store, id)), ...changes]),
  );
}

/** Into the buckets: the layers are in `changes`. */
function storeMerged(store: ChunkStore, before: StoredRows, changes: RowChanges): StoredRows {
  const chunks = [...before.chunks];
  const counts = [...before.counts];
  for (const [bucket, changed] of byBucket(changes, chunks.length)) {
    const rows = new Map<string, ResourceState>();
    applyChanges(rows, readChunk(store, chunks[bucket] ?? 0));
    applyChanges(rows, changed);
    chunks[bucket] = writeChunk(store, rows);
    counts[bucket] = rows.size;
  }
  const held = counts.reduce((sum, count) => sum + count, 0);
  if (held <= 2 * rowsPerChunk * chunks.length) return { chunks, counts };
  const known = new Set(before.chunks);
  return storeInMore(store, chunks, bucketsFor(held), (id) => !known.has(id));
}

/** Each bucket in several, one after the other: all rows at once would be 100 MB. What `isOurs` goes. */
function storeInMore(
  store: ChunkStore,
  before: readonly number[],
  buckets: number,
  isOurs: (id: number) => boolean,
): StoredRows {
  const chunks = new Array<number>(buckets).fill(0);
  const counts = new Array<number>(buckets).fill(0);
  for (const id of before) {
    const parts = byBucket(readChunk(store, id), buckets);
    // What is in one bucket of few is in one of those that its number is the end of: no other one writes there.
    for (const [bucket, rows] of parts) {
      chunks[bucket] = writeChunk(store, rows);
      counts[bucket] = rows.length;
    }
    if (isOurs(id)) store.delete([id]);
  }
  return { chunks, counts };
}

function bucketsFor(rows: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, rows / rowsPerChunk)));
}

function storeAll(store: ChunkStore, changes: RowChanges): StoredRows {
  const buckets = bucketsFor(changes.size);
  const chunks = new Array<number>(buckets).fill(0);
  const counts = new Array<number>(buckets).fill(0);
  for (const [bucket, changed] of byBucket(changes, buckets)) {
    const rows = new Map<string, ResourceState>();
    applyChanges(rows, changed);
    chunks[bucket] = writeChunk(store, rows);
    counts[bucket] = rows.size;
  }
  return { chunks, counts };
}

/** By resourceKey(). */
export function readRows(store: ChunkStore, stored: StoredRows): Map<string, ResourceState> {
  const rows = new Map<string, ResourceState>();
  for (const id of chunkIdsOf(stored)) applyChanges(rows, readChunk(store, id));
  return rows;
}

/** Every chunk that they are in. */
export function chunkIdsOf({ chunks, layers = [] }: StoredRows): number[] {
  return [...chunks, ...layers.map(({ id }) => id)].filter((id) => id !== 0);
}

/** As parseChanges() reads them; what comes later is newer. */
export function storedTexts(store: ChunkStore, stored: StoredRows): string[] {
  return chunkIdsOf(stored).map((id) => assertText(store, id));
}

/** null: there is no such chunk. */
export function readText(store: ChunkStore, id: number): string | null {
  const bytes = store.read(id);
  return bytes === undefined ? null : inflateBytes(bytes).toString('utf8');
}

function byBucket(changes: Iterable<RowChange>, buckets: number): Map<number, RowChange[]> {
  const found = new Map<number, RowChange[]>();
  for (const change of changes) {
    const bucket = hashText(change[0]) & (buckets - 1);
    const known = found.get(bucket);
    if (known) known.push(change);
    else found.set(bucket, [change]);
  }
  return found;
}

/** In pieces that are soon parsed, each. */
export function layerTexts(changes: RowChanges): string[] {
  const all = [...changes];
  const texts: string[] = [];
  for (let from = 0; from < all.length; from += changesPerText) {
    texts.push(formatChanges(all.slice(from, from + changesPerText)));
  }
  return texts;
}

/** 0: nothing. */
function writeChunk(store: ChunkStore, changes: Iterable<RowChange>): number {
  const all = [...changes];
  if (all.length === 0) return 0;
  return store.append(deflateBytes(formatChanges(all)));
}

function readChunk(store: ChunkStore, id: number): RowChange[] {
  return id === 0 ? [] : parseChanges(assertText(store, id));
}

function assertText(store: ChunkStore, id: number): string {
  const text = readText(store, id);
  if (text === null) throw undecodable(`chunk ${id} of a snapshot is missing`);
  return text;
}
