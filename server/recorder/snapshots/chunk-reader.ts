import { LRUCache } from 'lru-cache';
import type { ClientState } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import { nextTurn } from '../../threads/in-slices';
import { applyChanges } from './client-texts';
import { parseChanges, type RowChange } from './row-columns';
import type { ClientOutline, OutlinedRows } from './snapshots';
import type { StoredRows } from './stored-rows';

type Layer = readonly RowChange[];

const rowsAtOnce = 500;
const rowsKept = 40_000;

/**
 * Reads the chunks of snapshots from the worker thread in groups. It parses one group while the thread reads the next,
 * and yields to the event loop in between. It caches parsed chunks, because neighbouring moments share most of them.
 */
export class ChunkReader {
  readonly #readTexts: (ids: readonly number[]) => Promise<(string | null)[]>;

  #kept = newCache();
  #version = '';

  constructor(readTexts: (ids: readonly number[]) => Promise<(string | null)[]>) {
    this.#readTexts = readTexts;
  }

  /** `version` changes when chunk numbers may have other meanings. Returns undefined if a chunk was deleted. */
  async readClient({ client, reports }: ClientOutline, version: string): Promise<ClientState | undefined> {
    if (version !== this.#version) this.#kept = newCache();
    this.#version = version;
    const kept = this.#kept;
    const requested = reports.map(({ rows: { stored } }) =>
      stored === null ? [] : this.#request(kept, stored),
    );
    const found: ClientState['reports'] = new Map();
    for (const [index, { key, report, rows }] of reports.entries()) {
      const resources = await gather(kept, requested[index] ?? [], rows);
      if (resources === undefined) return undefined;
      found.set(key, { ...report, resources });
    }
    return { ...client, reports: found };
  }

  /** Requests all groups at once; the thread answers them in order. */
  #request(kept: Cache, stored: StoredRows): Group[] {
    return Array.from(groupsOf(stored), (ids) => {
      const known = new Map<number, Layer>();
      for (const id of ids) {
        const layer = kept.get(id);
        if (layer) known.set(id, layer);
      }
      const missing = ids.filter((id) => !known.has(id));
      const texts = missing.length === 0 ? none : this.#readTexts(missing);
      // If an earlier group fails, no code awaits this one.
      texts.catch(() => {});
      return { ids, known, missing, texts };
    });
  }
}

interface Group {
  readonly ids: readonly number[];
  readonly known: Map<number, Layer>;
  readonly missing: readonly number[];
  readonly texts: Promise<readonly (string | null)[]>;
}

const none: Promise<readonly (string | null)[]> = Promise.resolve([]);

type Cache = LRUCache<number, Layer>;

function newCache(): Cache {
  return new LRUCache({ maxSize: rowsKept, sizeCalculation: (layer) => 1 + layer.length });
}

/** Groups the chunks, oldest first, by the time that parsing takes. */
function* groupsOf({ chunks, counts, layers = [] }: StoredRows): Generator<number[]> {
  const all = [...chunks.map((id, index) => ({ id, count: counts[index] ?? 0 })), ...layers];
  let group: number[] = [];
  let rows = 0;
  for (const { id, count } of all) {
    if (id === 0) continue;
    if (group.length > 0 && rows + count > rowsAtOnce) {
      yield group;
      group = [];
      rows = 0;
    }
    group.push(id);
    rows += count;
  }
  if (group.length > 0) yield group;
}

/** Returns undefined if a chunk was deleted. */
async function gather(
  kept: Cache,
  groups: readonly Group[],
  { changed }: OutlinedRows,
): Promise<Map<string, ResourceState> | undefined> {
  const rows = new Map<string, ResourceState>();
  for (const { ids, known, missing, texts } of groups) {
    for (const [index, text] of (await texts).entries()) {
      const id = missing[index];
      if (text === null || id === undefined) return undefined;
      const layer = parseChanges(text);
      known.set(id, layer);
      kept.set(id, layer);
    }
    for (const id of ids) applyChanges(rows, known.get(id) ?? []);
    await nextTurn();
  }
  for (const text of changed) {
    applyChanges(rows, parseChanges(text));
    await nextTurn();
  }
  return rows;
}
