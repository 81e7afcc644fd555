import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import type { SizeGroup } from '@/lib/fleet/size-group';
import { matchesFleetFilter, parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import { buildFleetMember, type FleetMember } from '@/lib/views/fleet/fleet-member';
import { buildGroupSizes } from '@/lib/views/sizes/build-group-sizes';
import { chooseSizeGroup } from '@/lib/views/sizes/size-groups';
import { clientSummary, typeSummary } from '../../../support/builders/fleet-fixtures';

interface Sample {
  readonly cluster?: string;
  readonly pool?: string;
  readonly bytes?: number;
  readonly content?: string;
}

function memberOf({ cluster = '', pool, bytes = 10, content = 'aa' }: Sample, index: number): FleetMember {
  const summary = clientSummary({
    ...{ id: `c${index}`, nodeId: `shop-${index}`, cluster, resources: 2 },
    types: [typeSummary({ sizeBytes: bytes, total: 2, content })],
  });
  return buildFleetMember(summary, { metadata: pool === undefined ? {} : { 'node pool': pool } });
}

const samples: readonly Sample[] = [
  { cluster: 'team one', pool: 'spot', bytes: 10 },
  { cluster: 'team one', pool: 'spot', bytes: 30 },
  { cluster: 'team-2', pool: 'a b', bytes: 100 },
  { cluster: '', bytes: 5, content: 'bb' },
];
const members = samples.map(memberOf);
const sizesOf = (group: SizeGroup) =>
  runSteps(buildGroupSizes(members, group, { most: 9, sort: 'bytes', beforeOf: () => undefined })).items;

describe('buildGroupSizes', () => {
  it('adds up the sizes of clients with one value by type, the largest group first', () => {
    expect(sizesOf('cluster')).toMatchObject([
      { label: 'team-2', bytes: 100, clients: { count: 1, leastBytes: 100, mostBytes: 100 } },
      {
        ...{ label: 'team one', bytes: 40, count: 4, clients: { count: 2, leastBytes: 10, mostBytes: 30 } },
        parts: [{ name: 'CDS', bytes: 40, count: 4 }],
      },
      { label: 'no cluster reported', bytes: 5 },
    ]);
    expect(sizesOf('runs').map(({ label, clients }) => [label, clients?.count])).toEqual([
      ['as shop-0', 3],
      ['shop-3', 1],
    ]);
  });

  it.each(['cluster', 'meta.node pool', 'runs', 'zone'] as const)(
    'names each group of %s by a filter that leaves its clients and no others',
    (group) => {
      for (const { key, clients, bytes } of sizesOf(group)) {
        const filter = parseFleetFilter(key);
        expect(filter.problems).toEqual([]);
        const found = members.filter((member) => matchesFleetFilter(member, filter));
        expect(found).toHaveLength(clients?.count ?? 0);
        expect(found.reduce((sum, { summary }) => sum + (summary.types[0]?.sizeBytes ?? 0), 0)).toBe(bytes);
      }
    },
  );

  it('contains the first measured size of a group', () => {
    const before: Readonly<Record<string, number>> = { c0: 4, c1: 6, c3: 1 };
    const beforeOf = (id: string) => (before[id] === undefined ? undefined : { at: 0, bytes: before[id] });
    const { items } = runSteps(buildGroupSizes(members, 'cluster', { most: 9, sort: 'growth', beforeOf }));
    expect(items.map(({ label, before: then }) => [label, then?.bytes])).toEqual([
      ['team one', 10],
      ['no cluster reported', 1],
      ['team-2', undefined],
    ]);
  });
});

describe('chooseSizeGroup', () => {
  it('groups many clients by the first field with several values, and few clients not at all', () => {
    const chosen = (most: number) => runSteps(chooseSizeGroup(members, most));
    expect(chosen(4)).toBeUndefined();
    expect(chosen(3)).toBe('cluster');
    // Three clusters do not fit into two boxes, and two kinds of software do.
    expect(chosen(2)).toBe('runs');
    expect(chosen(1)).toBeUndefined();
  });
});
