import { describe, expect, test } from 'vitest';
import type { ResourceChanges } from '@/lib/observation/resource-state';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { PendingChanges } from '@/server/collect/xds/client/pending-changes';
import { requested } from '@/server/collect/xds/client/resource-state';

const row = (name: string, at: number) => requested({ typeUrl: CDS.typeUrl, name }, at);
const changed = (...rows: ReturnType<typeof row>[]): ResourceChanges => ({ changed: rows, removed: [] });
const removed = (...names: string[]): ResourceChanges => ({
  changed: [],
  removed: names.map((name) => ({ typeUrl: CDS.typeUrl, name })),
});

describe('PendingChanges', () => {
  test('returns the only added changes unmodified, once', () => {
    const pending = new PendingChanges();
    const only = changed(row('a', 1), row('b', 1));
    pending.add({ changed: [], removed: [] });
    pending.add(only);
    expect(pending.isEmpty).toBe(false);
    expect(pending.take()).toBe(only);
    expect(pending.isEmpty).toBe(true);
    expect(pending.take()).toEqual({ changed: [], removed: [] });
  });

  test('keeps the last change of each type and name', () => {
    const pending = new PendingChanges();
    const endpoints = requested({ typeUrl: EDS.typeUrl, name: 'a' }, 4);
    pending.add(changed(row('a', 1), row('b', 1), row('c', 1)));
    pending.add(removed('a', 'b'));
    pending.add(changed(row('b', 2), row('c', 3), endpoints));
    expect(pending.take()).toEqual({
      changed: [row('c', 3), row('b', 2), endpoints],
      removed: [{ typeUrl: CDS.typeUrl, name: 'a' }],
    });
    expect(pending.isEmpty).toBe(true);
  });
});
