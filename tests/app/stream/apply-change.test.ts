import type { QueryKey } from '@tanstack/react-query';
import { beforeEach, describe, expect, it } from 'vitest';
import { clientKey } from '@/app/_ask/client-subject';
import { historyNewestOptions } from '@/app/_ask/history';
import { questionKey } from '@/app/_ask/question';
import { resourcePagesOptions } from '@/app/_ask/resource-pages';
import {
  applyChanges,
  keysOfEndedImports,
  type LiveCache,
  prependEvents,
  upsertById,
} from '@/app/_stream/apply-change';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { clientSummary, notableEvent, resourceRow, source } from '../../support/builders/fleet-fixtures';

const madeOfRows = (['graph', 'tears', 'simulation'] as const).map((part) => clientKey('a', part));

const sourcesKey = questionKey('sources', {});
const importsKey = questionKey('imports', {});

class FakeCache implements LiveCache {
  readonly data = new Map<string, unknown>();
  writes = 0;

  getQueryData<T>(key: QueryKey): T | undefined {
    return this.data.get(JSON.stringify(key)) as T | undefined;
  }

  getQueriesData<T>({ queryKey }: { readonly queryKey: QueryKey }): [QueryKey, T | undefined][] {
    const keys = [...this.data.keys()].map((text) => JSON.parse(text) as QueryKey);
    return keys
      .filter((key) => queryKey.every((part, index) => part === key[index]))
      .map((key) => [key, this.getQueryData<T>(key)]);
  }

  setQueryData<T>(key: QueryKey, data: T): void {
    this.writes += 1;
    this.data.set(JSON.stringify(key), data);
  }
}

/** A cache with answers about two clients. */
function answered(): FakeCache {
  const cache = new FakeCache();
  for (const key of madeOfRows) cache.setQueryData([...key, 'answer', {}], {});
  cache.setQueryData([...clientKey('a', 'graph'), 'answer', { find: 'x' }], {});
  cache.setQueryData([...clientKey('a', 'load'), 'series', {}], {});
  cache.setQueryData([...clientKey('b', 'findings'), 'answer', {}], {});
  return cache;
}

const a = clientSummary({ id: 'a', nodeId: 'a' });
const node = {
  id: 'a',
  cluster: 'shop',
  locality: null,
  userAgentName: '',
  userAgentVersion: '',
  clientFeatures: [],
  metadata: {},
};

describe('applyChanges', () => {
  it('updates the newest position of the log if it is cached, for one client and for all', () => {
    const cache = new FakeCache();
    cache.setQueryData(historyNewestOptions('a').queryKey, 3);
    applyChanges(cache, [
      { type: 'history', clientId: 'a', newestSeq: 7 },
      { type: 'history', clientId: null, newestSeq: 9 },
    ]);
    expect(cache.getQueryData(historyNewestOptions('a').queryKey)).toBe(7);
    expect(cache.getQueryData(historyNewestOptions('').queryKey)).toBeUndefined();
  });

  let cache: FakeCache;
  beforeEach(() => {
    cache = new FakeCache();
  });

  it('writes a list once however many of its items changed', () => {
    const [one, other] = [source({ id: 'a' }), source({ id: 'b' })];
    cache.setQueryData(sourcesKey, { items: [one], total: 1 });
    cache.writes = 0;
    applyChanges(cache, [
      { type: 'source', source: other },
      { type: 'source', source: { ...one, answers: 1 } },
      { type: 'source', source: { ...one, answers: 2 } },
    ]);
    expect(cache.writes).toBe(1);
    expect(cache.getQueryData(sourcesKey)).toMatchObject({ items: [{ ...one, answers: 2 }, other] });
  });

  it('applies the last of a removal and a return of one source', () => {
    const [one, other] = [source({ id: 'a' }), source({ id: 'b' })];
    cache.setQueryData(sourcesKey, { items: [one, other], total: 2 });
    applyChanges(cache, [
      { type: 'source-removed', sourceId: 'a' },
      { type: 'source', source: one },
      { type: 'source-removed', sourceId: 'b' },
    ]);
    expect(cache.getQueryData(sourcesKey)).toMatchObject({ items: [one] });
  });

  it('invalidates the fleet once when any client changes', () => {
    expect(applyChanges(cache, [{ type: 'fleet' }, { type: 'fleet' }])).toEqual([
      ['fleet'],
      ['cohorts'],
      ['identity'],
    ]);
    expect(applyChanges(cache, [{ type: 'client-removed', clientId: 'a' }])).toEqual([['client', 'a']]);
  });

  it('creates no list that is not cached', () => {
    applyChanges(cache, [
      { type: 'client', client: a },
      { type: 'event', event: notableEvent() },
      { type: 'source', source: source() },
    ]);
    expect(cache.data.size).toBe(0);
  });

  it('keeps the node of a client’s detail, and invalidates it when the identity of the client changes', () => {
    cache.setQueryData(clientKey('a', 'detail'), { ...a, node });
    expect(applyChanges(cache, [{ type: 'client', client: { ...a, trouble: 1 } }])).toEqual([]);
    expect(cache.getQueryData(clientKey('a', 'detail'))).toEqual({ ...a, trouble: 1, node });
    expect(applyChanges(cache, [{ type: 'client', client: { ...a, userAgent: 'new 2' } }])).toEqual([
      clientKey('a', 'detail'),
    ]);
  });

  it('patches the pages of a client’s rows, and invalidates its counts and all derived answers once', () => {
    const cache = answered();
    const page = { items: [resourceRow()], total: 1, matched: 1, types: [], statuses: [] };
    const key = resourcePagesOptions({ clientId: 'a' }, {}).queryKey;
    cache.setQueryData(key, { pages: [page], pageParams: [null] });
    const changed = resourceRow({ versionInfo: '2' });
    const again = applyChanges(cache, [
      { type: 'resources', clientId: 'a', changed: [changed], removed: [] },
      { type: 'resources', clientId: 'a', changed: [changed], removed: [] },
    ]);
    expect(cache.getQueryData(key)).toEqual({ pages: [{ ...page, items: [changed] }], pageParams: [null] });
    expect(again).toEqual([[...clientKey('a', 'resources'), 'answer'], ...madeOfRows]);
  });

  it('invalidates all answers about a client’s rows when too many rows changed', () => {
    expect(applyChanges(answered(), [{ type: 'resources-renewed', clientId: 'a' }])).toEqual([
      clientKey('a', 'detail'),
      clientKey('a', 'resources'),
      ...madeOfRows,
    ]);
  });

  it('invalidates load, because a report is not the sum', () => {
    expect(applyChanges(cache, [{ type: 'load', clientId: null }])).toEqual([['load']]);
    expect(applyChanges(cache, [{ type: 'load', clientId: 'a' }])).toEqual([clientKey('a', 'load')]);
  });
});

describe('keysOfEndedImports', () => {
  const reading: FileImport = {
    id: 'i',
    label: 'dump.json',
    state: 'reading',
    progress: { done: 1, total: 2 },
    what: '',
    sizeBytes: 1,
    clients: 1,
    clientIds: ['a'],
    resources: 1,
    problems: 0,
    reason: '',
    startedAt: Date.parse('2026-01-01T00:00:00.000Z'),
    endedAt: undefined,
  };

  it('lists the answers derived from the rows of its clients when a running import ends', () => {
    const cache = answered();
    const done = { ...reading, state: 'done' as const };
    cache.setQueryData(importsKey, { items: [reading] });
    expect(keysOfEndedImports(cache, [{ type: 'import', import: reading }])).toEqual([]);
    const keys = keysOfEndedImports(cache, [{ type: 'import', import: done }]);
    expect(keys).toEqual(madeOfRows);
    cache.setQueryData(importsKey, { items: [done] });
    expect(keysOfEndedImports(cache, [{ type: 'import', import: done }])).toEqual([]);
  });
});

describe('upsertById', () => {
  it('keeps the places of existing items and appends new ones', () => {
    const changed = new Map([
      ['c', { id: 'c', value: 1 }],
      ['a', { id: 'a', value: 2 }],
    ]);
    expect(
      upsertById(
        [
          { id: 'a', value: 0 },
          { id: 'b', value: 0 },
        ],
        changed,
      ),
    ).toEqual([
      { id: 'a', value: 2 },
      { id: 'b', value: 0 },
      { id: 'c', value: 1 },
    ]);
  });

  it('adds new items at the front if the newest comes first', () => {
    const one = (id: string) => ({ id });
    const changed = new Map([
      ['b', one('b')],
      ['c', one('c')],
    ]);
    expect(upsertById([one('a')], changed, 'first')).toEqual([one('c'), one('b'), one('a')]);
  });

  it('adds nothing for a removed item that is not in the list', () => {
    expect(upsertById([], new Map([['a', null]]))).toEqual([]);
  });
});

describe('prependEvents', () => {
  it('sorts events newest first without duplicates, and keeps several events of one observation', () => {
    const list = [notableEvent({ seq: 2 }), notableEvent({ seq: 1 })];
    const events = [
      notableEvent({ seq: 2 }),
      notableEvent({ seq: 3 }),
      notableEvent({ seq: 3, resourceName: 'x' }),
    ];
    const result = prependEvents(list, events);
    expect(result.map(({ seq, resourceName }) => `${seq}${resourceName}`)).toEqual([
      '3cart',
      '3x',
      '2cart',
      '1cart',
    ]);
  });

  it('keeps the newest 200', () => {
    const events = Array.from({ length: 300 }, (_, seq) => notableEvent({ seq }));
    const result = prependEvents([], events);
    expect([result.length, result[0]?.seq]).toEqual([200, 299]);
  });
});
