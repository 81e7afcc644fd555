import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import { seededRandom } from '@/server/lab/random';
import { applyChanges } from '@/server/recorder/snapshots/client-texts';
import { parseChanges } from '@/server/store/row-columns';
import {
  chunkIdsOf,
  layerTexts,
  readRows,
  readText,
  type StoredRows,
  storedTexts,
  storeRows,
} from '@/server/recorder/snapshots/stored-rows';
import { openSqliteLog } from '@/server/recorder/sqlite/sqlite-log';
import { resourceOf } from '@/tests/support/builders/recorder-emissions';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

describe('stored rows', () => {
  it.each([1, 2, 3])(
    'are the stored rows with all later changes, at each of their moments (seed %i)',
    (seed) => {
      const file = path.join(tempDataDir(), 'rows.sqlite');
      const { chunks: store, close } = openSqliteLog(file, false, (storage) => storage);
      const random = seededRandom(seed);
      const held = new Map<string, ResourceState>();
      const moments: { readonly stored: StoredRows; readonly rows: ReadonlyMap<string, ResourceState> }[] =
        [];
      let stored: StoredRows | null = null;
      for (let step = 0; step < 60; step++) {
        const changes = new Map<string, ResourceState | null>();
        const count = Math.floor(random() ** 3 * 400);
        for (let change = 0; change < count; change++) {
          const row = resourceOf(`name ${Math.floor(random() * 500)}`, { versionInfo: `v${step}` });
          const key = resourceKey(row);
          const isGone = random() < 0.3;
          changes.set(key, isGone ? null : row);
          if (isGone) held.delete(key);
          else held.set(key, row);
        }
        stored = storeRows(store, stored, changes);
        moments.push({ stored, rows: new Map(held) });
      }
      expect(moments.some(({ stored: { layers = [] } }) => layers.length > 1)).toBe(true);
      for (const moment of moments) {
        expect(readRows(store, moment.stored)).toEqual(moment.rows);
        const chunks = chunkIdsOf(moment.stored).map((id) => readText(store, id));
        expect(storedTexts(store, moment.stored)).toEqual(chunks);
        const extra = resourceOf('extra');
        const rows = new Map<string, ResourceState>();
        for (const text of [...chunks, ...layerTexts(new Map([[resourceKey(extra), extra]]))]) {
          applyChanges(rows, parseChanges(text ?? 'missing'));
        }
        expect(rows).toEqual(new Map([...moment.rows, [resourceKey(extra), extra]]));
      }
      expect(readText(store, 1e9)).toBeNull();
      close();
    },
  );
});
