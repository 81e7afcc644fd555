import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { buildClientDetail } from '@/lib/view-model/client/build-client-summary';
import { LDS } from '@/lib/xds/resource-type';
import { GraphBuilder } from '@/server/api/graph-builder';
import { PermalinksApi } from '@/server/api/permalinks-api';
import { nothingTold, type ToldClient } from '@/server/api/told-client';
import { newPermalinkId, openRecorder } from '@/server/recorder/recorder';
import { Judge } from '@/server/validate/judge';
import { openLoads } from '../../support/open-loads';
import { ManualClock } from '../../support/recorder-manual-clock';
import { clientStateOf } from '../../support/recorder-sightings';
import { tempDataDir } from '../../support/recorder-temp-dir';
import { resourceRow } from '../../support/view-model-resource-row';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const client = buildClientDetail(clientStateOf('c', 1, []), () => ({
  freshness: 'live',
  reason: '',
  lastSeenAt: 1,
}));
const resources = ['shop', 'outer/shop', 'inner/shop'].map((name) =>
  resourceRow({ typeUrl: LDS.typeUrl, name, hash: null, clientStatus: 'REQUESTED' }),
);
const view = { tab: 'resolved', query: {} } as const;

/** Over a real recorder. `told` may change after a link was made. */
async function startStory(told: { now: ToldClient }) {
  const clock = new ManualClock();
  const recorder = await openRecorder({
    dataDir: tempDataDir(),
    clock,
    retention: { maxAgeMs: 1e12, maxBytes: 1e12 },
  });
  cleanUps.push(() => recorder.close());
  const graphs = new GraphBuilder({ recorder, clock });
  cleanUps.push(() => graphs.close());
  const judge = new Judge({ redactionKey: randomBytes(32), readBodies: async () => new Map() });
  cleanUps.push(() => judge.close());
  const loads = await openLoads(clock);
  const api = new PermalinksApi({
    recorder,
    clock,
    graphs,
    judge,
    findFailovers: async (clientId, query) => ({ ...noFailovers, clientId, cluster: JSON.stringify(query) }),
    loads,
    views: {
      find: async () => ({
        client,
        rows: resources,
        source: { list: 'client c', rows: () => resources },
        told: told.now,
        at: '2026-01-01T00:00:00.000Z',
        revision: '1',
      }),
    },
  });
  return { api, recorder };
}

const clientListenerResourceNameTemplate = 'inner/%s';
const templates = {
  clientDefault: 'outer/%s',
  authorities: new Map([['fleet', { clientListenerResourceNameTemplate }]]),
};

const noFailovers = {
  ...{ clientKind: 'core' as const, from: '', to: '', beginsAt: null, hasOlder: false, isCut: false },
  ...{ total: 0, items: [] },
};

describe('PermalinksApi', () => {
  it('keeps what happened where failovers were in sight, of the cluster that was', async () => {
    const { api } = await startStory({ now: nothingTold });
    const query = { target: 'xds:///shop', listener: 'old', cluster: 'cart', kind: 'go' };
    const { id } = await api.create({ clientId: 'c', view: { ...view, tab: 'failover', query } });
    const kept = await api.failovers(id);
    expect(JSON.parse(kept?.cluster ?? '')).toEqual({
      ...{ target: 'xds:///shop', cluster: 'cart', 'client-kind': 'go' },
    });
    const other = await api.create({ clientId: 'c', view });
    await expect(api.failovers(other.id)).rejects.toThrow('the link keeps none');
    expect(await api.failovers('nobody')).toBeUndefined();
  });

  it('keeps the load up to where it was paused, or up to now', async () => {
    const { api } = await startStory({ now: nothingTold });
    const spanOf = async (query: Readonly<Record<string, string>>) => {
      const { id } = await api.create({ clientId: 'c', view: { ...view, tab: 'load', query } });
      return (await api.find(id, undefined))?.load;
    };
    const to = '2025-12-31T23:00:00.000Z';
    expect(await spanOf({ to, span: '15m' })).toEqual({ from: '2025-12-31T22:45:00.000Z', to });
    const now = { from: '2025-12-31T23:45:00.000Z', to: '2026-01-01T00:00:00.001Z' };
    expect(await spanOf({})).toEqual(now);
    for (const other of ['', 'soon', '2031-01-01T00:00:00.000Z']) {
      expect(await spanOf({ to: other })).toEqual(now);
    }
  });

  it('resolves a target with the name templates that the client had when the link was made', async () => {
    const told: { now: ToldClient } = { now: { ...nothingTold, templates } };
    const { api } = await startStory(told);
    const { id } = await api.create({ clientId: 'c', view });
    told.now = { ...nothingTold, templates: { ...templates, clientDefault: 'new/%s' } };
    const listenerOf = async (target: string) => (await api.resolved(id, { target }))?.start?.listener;
    expect(await listenerOf('xds:///shop')).toBe('outer/shop');
    expect(await listenerOf('xds://fleet/shop')).toBe('inner/shop');
    await expect(listenerOf('xds://other/shop')).rejects.toThrow('"fleet"');
  });

  it('keeps the log that a frozen history shows, and pins nothing for another view', async () => {
    const { api, recorder } = await startStory({ now: nothingTold });
    await api.create({ clientId: 'c', view });
    expect(await recorder.pins()).toEqual([]);
    const from = '2026-01-01T00:00:00.000Z';
    const { id } = await api.create({
      clientId: 'c',
      view: { tab: 'history', query: { from, type: 'CDS' } },
    });
    expect(await recorder.pins()).toMatchObject([{ clientId: 'c', label: `permalink ${id}` }]);
    const [pin] = await recorder.pins();
    const stored = await api.find(id, undefined);
    expect(stored?.view).toMatchObject({ tab: 'history', query: { from, type: 'CDS' } });
    expect(pin?.to).toBe(Date.parse(stored?.createdAt ?? ''));
    expect(pin?.from).toBe(Math.min(Date.parse(from), pin?.to ?? 0));
  });

  it('keeps an authority of any name', async () => {
    const authorities = new Map([['__proto__', { clientListenerResourceNameTemplate }]]);
    const { api } = await startStory({
      now: { ...nothingTold, templates: { ...templates, authorities } },
    });
    const { id } = await api.create({ clientId: 'c', view });
    const resolved = await api.resolved(id, { target: 'xds://__proto__/shop' });
    expect(resolved?.start?.listener).toBe('inner/shop');
  });

  it('resolves a link of before templates were kept with the default ones', async () => {
    const { api, recorder } = await startStory({ now: { ...nothingTold, templates } });
    const id = newPermalinkId();
    const content = { version: 1, client, view, resources };
    await recorder.savePermalink({ id, createdAt: 5, content, hashes: [] });
    expect((await api.resolved(id, { target: 'xds:///shop' }))?.start?.listener).toBe('shop');
  });
});
