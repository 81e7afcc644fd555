import { beforeEach, describe, expect, it } from 'vitest';
import { buildFleetMember, type FleetMember } from '@/lib/views/fleet/fleet-member';
import { sizesEntry } from '@/server/live/sizes/saved-sizes';
import { SizeHistory } from '@/server/live/sizes/size-history';
import { KeptList } from '@/server/store/kept-list';
import type { StateStore } from '@/server/store/state';
import { clientSummary, typeSummary } from '../../../support/builders/fleet-fixtures';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { openTestState } from '../../../support/test-state';

const cds = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const eds = 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment';

function member(id: string, sizes: Readonly<Record<string, number>>): FleetMember {
  const types = Object.entries(sizes).map(([typeUrl, sizeBytes]) => typeSummary({ typeUrl, sizeBytes }));
  return buildFleetMember(clientSummary({ id, nodeId: id, types }), { metadata: {} });
}

let state: StateStore;
beforeEach(async () => {
  state = await openTestState();
});

function open(members: readonly FleetMember[], clock = new ManualClock()) {
  const kept = new KeptList(state, sizesEntry);
  const fleet = { find: () => Promise.resolve({ revision: 1, members }) };
  return { clock, history: new SizeHistory({ clock, fleet, kept, mostSamples: 8 }) };
}

describe('SizeHistory', () => {
  it('returns the same after a restart, of all clients and of each, and continues', async () => {
    const clients = Array.from({ length: 600 }, (_, index) => member(`c${index}`, { [cds]: index + 1 }));
    const before = open(clients);
    await before.history.sample();
    before.clock.advance(30_000);
    const grown = [member('c0', { [cds]: 1, [eds]: 70 }), ...clients.slice(1)];
    const changed = open(grown, before.clock);
    await changed.history.restore();
    expect(changed.history.list()).toEqual([]);
    await before.history.close();
    await changed.history.restore();
    expect(changed.history.list()).toEqual(before.history.list());
    await changed.history.sample();
    await changed.history.close();

    const again = open(grown, before.clock);
    await again.history.restore();
    expect(again.history.list()).toEqual(changed.history.list());
    expect(again.history.list()).toHaveLength(2);
    expect(again.history.listOf(member('c0', {}))).toEqual(changed.history.listOf(member('c0', {})));
    expect(again.history.clients.firstOf('c599')).toEqual({ at: before.clock.now() - 30_000, bytes: 600 });
  });

  it('keeps its interval after a restart', async () => {
    const { clock, history } = open([member('a', { [cds]: 1 })]);
    for (let sample = 0; sample < 8; sample += 1) {
      await history.sample();
      clock.advance(30_000);
    }
    await history.close();
    const next = open([member('a', { [cds]: 1 })], clock);
    await next.history.restore();
    next.history.start();
    clock.advance(59_999);
    expect(clock.waiting).toBe(1);
    clock.advance(1);
    await expect.poll(() => next.history.list()).toHaveLength(5);
    await next.history.close();
  });
});
