import { describe, expect, it } from 'vitest';
import { buildClientDetail } from '@/lib/views/client/build-client-summary';
import { LDS } from '@/lib/xds/resource-type';
import { type KnownSettings, noSettings } from '@/server/answers/subjects/known-settings';
import { newPermalinkId } from '@/server/store/recorder/recorder';
import { clientStateOf } from '../../../support/builders/recorder-emissions';
import { resourceRow } from '../../../support/builders/resource-row';
import { type PermalinkStory, startPermalinks } from '../../../support/permalink-story';

const client = buildClientDetail(clientStateOf('c', 1, []), () => ({
  freshness: 'live',
  reason: '',
  lastSeenAt: 1,
}));
const resources = ['shop', 'outer/shop', 'inner/shop'].map((name) =>
  resourceRow({ typeUrl: LDS.typeUrl, name, hash: null, clientStatus: 'REQUESTED' }),
);
const view = { tab: 'resolved', query: {} } as const;

/** `reported` may change after a link was made. */
function startStory(reported: { now: KnownSettings }, others: Partial<PermalinkStory> = {}) {
  return startPermalinks({
    client,
    rows: resources,
    failovers: noFailovers,
    reported: () => reported.now,
    ...others,
  });
}

const clientListenerResourceNameTemplate = 'inner/%s';
const templates = {
  clientDefault: 'outer/%s',
  authorities: new Map([['fleet', { clientListenerResourceNameTemplate }]]),
};

const noFailovers = {
  ...{ clientId: 'c' },
  ...{ profile: 'core-1.85' as const, from: 0, to: 0, hasOlder: false, isCut: false },
  ...{ total: 0, items: [] },
};

function gateOf() {
  let open = (): void => undefined;
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open: () => open() };
}

describe('PermalinksApi', () => {
  it('rejects a permalink beyond the limit, and counts those that are stored', async () => {
    const { api, recorder } = await startStory({ now: noSettings }, { maxPermalinks: 2 });
    const asked = await Promise.allSettled(
      Array.from({ length: 4 }, () => api.create({ clientId: 'c', view })),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const { count, sizeBytes, limit } = recorder.stats().permalinks;
    expect([count, limit]).toEqual([2, 2]);
    expect(sizeBytes).toBeGreaterThan(100);
    await expect(api.create({ clientId: 'c', view })).rejects.toMatchObject({
      status: 409,
      title: 'Too many permalinks',
      detail: expect.stringMatching(/^expected at most 2 permalinks, got one more: .* --max-permalinks$/),
    });
  });

  it('stores the failovers of the shown cluster for the tab failover', async () => {
    const { api } = await startStory({ now: noSettings });
    const query = { target: 'xds:///shop', listener: 'old', cluster: 'cart', profile: 'go' };
    const { id } = await api.create({ clientId: 'c', view: { ...view, tab: 'failover', query } });
    const kept = await api.failovers(id);
    expect(JSON.parse(kept?.cluster ?? '')).toEqual({
      ...{ target: 'xds:///shop', cluster: 'cart', profile: 'go' },
    });
    const other = await api.create({ clientId: 'c', view });
    await expect(api.failovers(other.id)).rejects.toThrow('the link keeps none');
    expect(await api.failovers('nobody')).toBeUndefined();
  });

  it('stores the load up to the time at which it was paused, or up to now', async () => {
    const { api } = await startStory({ now: noSettings });
    const spanOf = async (query: Readonly<Record<string, string>>) => {
      const { id } = await api.create({ clientId: 'c', view: { ...view, tab: 'load', query } });
      return (await api.find(id))?.load;
    };
    const to = '2025-12-31T23:00:00.000Z';
    const from = '2025-12-31T22:45:00.000Z';
    const span = { from: Date.parse(from), to: Date.parse(to) };
    expect(await spanOf({ from, to })).toEqual(span);
    expect(await spanOf({ from: 'now-75m', to: 'now-1h' })).toEqual(span);
    const now = {
      from: Date.parse('2025-12-31T23:45:00.000Z'),
      to: Date.parse('2026-01-01T00:00:00.001Z'),
    };
    expect(await spanOf({})).toEqual(now);
    expect(await spanOf({ from: 'now-15m' })).toEqual(now);
    for (const other of ['', 'soon']) expect(await spanOf({ to: other })).toEqual(now);
  });

  it('resolves a target with the name templates that the client had when the link was made', async () => {
    const reported: { now: KnownSettings } = { now: { ...noSettings, templates } };
    const { api, resolve } = await startStory(reported);
    const { id } = await api.create({ clientId: 'c', view });
    reported.now = { ...noSettings, templates: { ...templates, clientDefault: 'new/%s' } };
    const listenerOf = async (target: string) => (await resolve(id, { target }))?.start?.listener;
    expect(await listenerOf('xds:///shop')).toBe('outer/shop');
    expect(await listenerOf('xds://fleet/shop')).toBe('inner/shop');
    await expect(listenerOf('xds://other/shop')).rejects.toThrow('"fleet"');
  });

  it('pins the log for the tab history, and for no other tab', async () => {
    const { api, recorder } = await startStory({ now: noSettings });
    await api.create({ clientId: 'c', view });
    expect(await recorder.pins()).toEqual([]);
    const from = '2026-01-01T00:00:00.000Z';
    const { id } = await api.create({
      clientId: 'c',
      view: { ...view, tab: 'history', query: { from, type: 'CDS' } },
    });
    expect(await recorder.pins()).toMatchObject([{ clientId: 'c', label: `permalink ${id}` }]);
    const [pin] = await recorder.pins();
    const stored = await api.find(id);
    expect(stored?.view).toMatchObject({ tab: 'history', query: { from, type: 'CDS' } });
    expect(pin?.to).toBe(stored?.createdAt);
    expect(pin?.from).toBe(Math.min(Date.parse(from), pin?.to ?? 0));
  });

  it('keeps an authority of any name', async () => {
    const authorities = new Map([['__proto__', { clientListenerResourceNameTemplate }]]);
    const { api, resolve } = await startStory({
      now: { ...noSettings, templates: { ...templates, authorities } },
    });
    const { id } = await api.create({ clientId: 'c', view });
    const resolved = await resolve(id, { target: 'xds://__proto__/shop' });
    expect(resolved?.start?.listener).toBe('inner/shop');
  });

  it('answers questions about one permalink while those about another one wait', async () => {
    const slow = 'a'.repeat(64);
    const [opened, reading] = [gateOf(), gateOf()];
    const rows = [resourceRow({ hash: slow })];
    const { api, recorder } = await startStory(
      { now: noSettings },
      {
        rows,
        async gate(hashes) {
          if (!hashes.has(slow)) return;
          reading.open();
          await opened.isOpen;
        },
      },
    );
    const { id } = await api.create({ clientId: 'c', view });
    const content = (await recorder.readPermalink(id))?.content;
    const other = newPermalinkId();
    const others = { ...(content as object), resources };
    await recorder.savePermalink({ id: other, createdAt: 5, content: others, hashes: [] });
    const first = api.find(id);
    await reading.isOpen;
    expect((await api.find(other))?.graph.nodes).toHaveLength(resources.length);
    opened.open();
    expect((await first)?.graph.nodes).toHaveLength(1);
  });
});
