import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { buildFleetMember, type FleetMember } from '@/lib/views/fleet/fleet-member';
import { ClientGrowth } from '@/server/live/sizes/client-growth';
import { clientSummary, typeSummary } from '../../../support/builders/fleet-fixtures';

const cds = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const eds = 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment';

function member(id: string, sizes: Readonly<Record<string, number>>): FleetMember {
  const types = Object.entries(sizes).map(([typeUrl, sizeBytes]) => typeSummary({ typeUrl, sizeBytes }));
  return buildFleetMember(clientSummary({ id, nodeId: id, types }), { metadata: {} });
}

const reported = (growth: ClientGrowth, id: string) =>
  growth.of(id).map(({ at, bytes }) => [at, Object.fromEntries(bytes)]);

describe('ClientGrowth', () => {
  it('returns each change of the bytes of a client by type, and the first value', () => {
    const growth = new ClientGrowth();
    const note = (at: number, ...members: FleetMember[]) => runSteps(growth.note(at, members));
    note(1, member('a', { [cds]: 10 }), member('b', { [eds]: 5 }));
    note(2, member('a', { [cds]: 10 }), member('b', { [eds]: 5 }));
    note(3, member('a', { [cds]: 10, [eds]: 7 }), member('b', { [eds]: 5 }));
    note(4, member('a', { [eds]: 7 }), member('c', {}));
    expect(reported(growth, 'a')).toEqual([
      [1, { [cds]: 10 }],
      [3, { [cds]: 10, [eds]: 7 }],
      [4, { [eds]: 7 }],
    ]);
    expect(growth.firstOf('a')).toEqual({ at: 1, bytes: 10 });
    expect(growth.firstOf('c')).toEqual({ at: 4, bytes: 0 });
    // A removed client is forgotten.
    expect(growth.firstOf('b')).toBe(undefined);
    expect(reported(growth, 'b')).toEqual([]);
  });

  it('keeps the first and some other points of a client that changes often', () => {
    const growth = new ClientGrowth(8);
    for (let at = 0; at < 1_000; at += 1) runSteps(growth.note(at, [member('a', { [cds]: at })]));
    const points = growth.of('a');
    expect(points.length).toBeLessThanOrEqual(8);
    expect(points[0]?.at).toBe(0);
    expect(points.at(-1)?.at).toBe(999);
  });
});
