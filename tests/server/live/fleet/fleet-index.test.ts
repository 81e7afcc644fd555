import { describe, expect, it } from 'vitest';
import { cohortsQuery, fleetQuery } from '@/lib/views/fleet/schema';
import { CDS } from '@/lib/xds/resource-type';
import { CohortsApi } from '@/server/live/fleet/cohorts-api';
import { FleetApi } from '@/server/live/fleet/fleet-api';
import { FleetIndex } from '@/server/live/fleet/fleet-index';
import { openLiveState } from '@/tests/support/open-live-state';
import { sampleReport, sampleResource } from '../../../support/builders/observation-samples';

const freshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }) as const;

function start() {
  const live = openLiveState({ freshnessOf });
  const emit = (clientId: string, hash: string): void => {
    const changed = [sampleResource({ typeUrl: CDS.typeUrl, name: 'cart', hash })];
    const { node } = sampleReport({});
    live.observe({
      observation: sampleReport({ clientId, node: { ...node, id: clientId }, changed, removed: [] }),
      bodies: [],
    });
  };
  const fleet = new FleetIndex(live);
  return {
    live,
    emit,
    fleet,
    api: new FleetApi({
      live,
      fleet,
      freshnessOf,
      clock: { now: () => 0 },
      findIssues: async () => new Map(),
    }),
    cohorts: new CohortsApi(fleet, { now: () => 0 }),
  };
}

describe('FleetIndex', () => {
  it('rebuilds only the clients that changed', async () => {
    const { live, emit, fleet } = start();
    for (const id of ['shop-2', 'shop-10', 'shop-1']) emit(id, 'a');
    const before = await fleet.find();
    expect(before.members.map(({ summary }) => summary.nodeId)).toEqual(['shop-1', 'shop-2', 'shop-10']);
    expect(await fleet.find()).toBe(before);
    emit('shop-2', 'b');
    const after = await fleet.find();
    expect(after.members.map((member, index) => member === before.members[index])).toEqual([
      true,
      false,
      true,
    ]);
    live.forgetClient('shop-1');
    emit('shop-3', 'a');
    const last = await fleet.find();
    expect(last.members.map(({ summary }) => summary.nodeId)).toEqual(['shop-2', 'shop-3', 'shop-10']);
    expect(last.members[2]).toBe(before.members[2]);
  });

  it('distinguishes a client that returns from the previous one', async () => {
    const { live, emit, fleet } = start();
    emit('shop-1', 'a');
    const [before] = (await fleet.find()).members;
    live.forgetClient('shop-1');
    emit('shop-1', 'b');
    const [after] = (await fleet.find()).members;
    expect(after?.content).not.toBe(before?.content);
  });

  it('provides the current state to a window and to the cohorts', async () => {
    const { emit, api, cohorts } = start();
    for (let at = 0; at < 9; at++) emit(`shop-${at}`, 'a');
    expect(await cohorts.find(cohortsQuery.parse({ type: 'CDS' }))).toMatchObject({
      total: 1,
      alike: 9,
      differ: 0,
    });
    emit('shop-4', 'b');
    const reported = await cohorts.find(cohortsQuery.parse({ type: 'CDS' }));
    expect(reported).toMatchObject({ total: 2, alike: 8, differ: 1 });
    const [, odd] = reported.items;
    const page = await api.find(fleetQuery.parse({ q: `runs=${odd?.content}` }));
    expect(page.items).toMatchObject([{ kind: 'client', client: { nodeId: 'shop-4' } }]);
    expect(page).toMatchObject({ lines: 1, matched: { clients: 1 }, total: { clients: 9 }, problems: [] });
    await expect(api.find(fleetQuery.parse({ group: 'nope' }))).rejects.toThrow(/^group: expected cluster, /);
    await expect(cohorts.find(cohortsQuery.parse({ type: '%' }))).rejects.toThrow(/^type: expected CDS/);
  });
});
