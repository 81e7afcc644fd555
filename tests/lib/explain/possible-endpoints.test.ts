import { expect, it } from 'vitest';
import { findPossibleEndpoints } from '@/lib/explain/possible-endpoints';
import { type Client, newestOf } from '@/lib/xds/profile';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import { edsCluster, endpoints, type MeshLocality } from '@/tests/support/builders/topology-mesh';

function find(localities: readonly MeshLocality[], client: Client) {
  const resolver = resolverOver([edsCluster('c'), endpoints('c', localities)], { profile: client });
  const { endpoints: found, notes } = findPossibleEndpoints(
    'c',
    newestOf(client),
    { findCluster: (name) => resolver.entryOf(name) },
    { criteria: undefined },
  );
  return {
    found: found.map(({ address, priority, percent }) => `${address} ${priority} ${percent}%`),
    notes,
  };
}

it.each(['envoy', 'go'] as const)('are those of the priority in use, with their shares: %s', (client) => {
  const localities = [
    { zone: 'a', endpoints: ['10.0.0.1:1 UNHEALTHY'] },
    { zone: 'b', priority: 1, endpoints: ['10.0.0.2:1', '10.0.0.3:1'] },
  ];
  expect(find(localities, client).found).toEqual(['10.0.0.2:1 P1 50%', '10.0.0.3:1 P1 50%']);
});

it('are listed up to a limit, which is stated', () => {
  const many = Array.from({ length: 60 }, (_, at) => `10.0.0.${at + 1}:1`);
  const { found, notes } = find([{ zone: 'a', endpoints: many }], 'envoy');
  expect([found.length, notes]).toEqual([50, ['the first 50 of 60 endpoints are listed']]);
});
