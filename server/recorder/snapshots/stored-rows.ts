import type { ResourceState } from '@/lib/observation/resource-state';
import { hashText } from '../blocks/hash-text';
import { undecodable } from '../damaged-file';
import { deflateBytes, inflateBytes } from '../deflate';
import type { ChunkStore } from '../storage/immutable-stores';
import { applyChanges } from './client-texts';
import { formatChanges, parseChanges, type RowChange } from './row-columns';

/**
 * The rows of a report at one time: chunks by hash of the row's key, and layers of later changes. Chunks never change.
 * The next snapshot shares all of them or, once there are many layers, those in which nothing changed.
 */
export interface StoredRows {
  /** Numbers of chunks by bucket; 0 is an empty bucket. The number of buckets is a power of two. */
  readonly chunks: readonly number[];
  /** Number of rows in each bucket. */
  readonly counts: readonly number[];
  /** The oldest is first. */
  readonly layers?: readonly StoredLayer[];
}

interface StoredLayer {
  readonly id: number;
  readonly count: number;
}

type RowChanges = ReadonlyMap<string, ResourceState | null>;

/** A chunk of some 60 rows is 20 kB of JSON, and 3 kB deflated. */
const rowsPerChunk = 128;
/** Limits the layers, all of which each reader must read: their number, and their rows relative to the buckets'. */
const maxLayers = 16;
const layeredShare = 1 / 2;
const changesPerText = 500;

/** Must be called within a transaction. */
export function storeRows(store: ChunkStore, before: StoredRows | null, changes: RowChanges): StoredRows {
  if (before === null) return storeMerged(store, emptyRows(bucketsFor(changes.size)), changes);
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

/** Writes `changes`, which contain all layers, into the buckets. */
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

/** Splits buckets one after the other, because all rows would be 100 MB. Deletes chunks that `isOurs` accepts. */
function storeInMore(
  store: ChunkStore,
  before: readonly number[],
  buckets: number,
  isOurs: (id: number) => boolean,
): StoredRows {
  const { chunks, counts } = emptyRows(buckets);
  for (const id of before) {
    const parts = byBucket(readChunk(store, id), buckets);
    // The number of the old bucket is the end of the numbers of the new ones, so no other old bucket has rows in
    // them.
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

function emptyRows(buckets: number): { readonly chunks: number[]; readonly counts: number[] } {
  return { chunks: new Array<number>(buckets).fill(0), counts: new Array<number>(buckets).fill(0) };
}

export function readRows(store: ChunkStore, stored: StoredRows): Map<string, ResourceState> {
  const rows = new Map<string, ResourceState>();
  for (const id of chunkIdsOf(stored)) applyChanges(rows, readChunk(store, id));
  return rows;
}

export function chunkIdsOf({ chunks, layers = [] }: StoredRows): number[] {
  return [...chunks, ...layers.map(({ id }) => id)].filter((id) => id !== 0);
}

/** Returns layers for parseChanges(); later ones are newer. */
export function storedTexts(store: ChunkStore, stored: StoredRows): string[] {
  return chunkIdsOf(stored).map((id) => assertText(store, id));
}

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

/** Splits changes into texts of limited size. */
export function layerTexts(changes: RowChanges): string[] {
  const all = [...changes];
  const texts: string[] = [];
  for (let from = 0; from < all.length; from += changesPerText) {
    texts.push(formatChanges(all.slice(from, from + changesPerText)));
  }
  return texts;
}

/** Returns 0 if there are no changes. */
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
