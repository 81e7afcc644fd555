import { expect, test } from 'vitest';
import { compareNames } from '@/lib/format/compare-names';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { layoutTopology } from '@/lib/views/graph/layout-topology';
import { buildTopologyRows } from '@/lib/views/graph/topology-rows';
import { type WalkDirection, walkTopology } from '@/lib/views/graph/walk-topology';
import { edsCluster, endpoints, routeConfig, topologyInput } from '../../../support/builders/topology-mesh';

const topology = buildTopology(
  topologyInput([
    routeConfig('r', { '/a': { one: 90, two: 10 }, '/b': 'two' }),
    edsCluster('one'),
    edsCluster('two'),
    endpoints('one', [{ zone: 'z', endpoints: ['10.0.0.1:80', '10.0.0.2:80'] }]),
  ]),
);

test('buildTopologyRows lists the predecessors and successors of each node', () => {
  const rows = buildTopologyRows(topology);
  expect(rows.map(({ node }) => node)).toEqual(topology.nodes);
  const two = rows.find(({ node }) => node.id === 'cluster:two');
  expect(two?.from).toEqual([
    { id: 'route-config:r>default>prefix /a', name: 'prefix /a', label: '10%' },
    { id: 'route-config:r>default>prefix /b', name: 'prefix /b', label: '' },
  ]);
  expect(two?.to.map(({ id }) => id)).toEqual(['endpoints:two']);
});

test('walkTopology follows edges sideways, the column up and down, and stops at the ends', () => {
  const layout = layoutTopology(topology);
  const walk = (from: string, ...directions: WalkDirection[]) =>
    directions.reduce<string | undefined>((at, direction) => at && walkTopology(layout, at, direction), from);
  expect(walk('route-config:r', 'right', 'right')).toMatch(/prefix/);
  expect(walk('cluster:one', 'down')).toBe('cluster:two');
  expect(walk('cluster:one', 'up')).toBeUndefined();
  expect(walk('cluster:one', 'right', 'right', 'right', 'down')).toBe('endpoints:one>P0>eu / z>10.0.0.2:80');
  expect(walk('route-config:r', 'left')).toBeUndefined();
  expect(walkTopology(layout, 'nowhere', 'up')).toBe('route-config:r');
});

test.each([
  [
    ['b', 'a'],
    ['a', 'b'],
  ],
  [
    ['r-10', 'r-2', 'r-1'],
    ['r-1', 'r-2', 'r-10'],
  ],
  [
    ['10.0.0.10:80', '10.0.0.9:80', '10.0.0.9:8080'],
    ['10.0.0.9:80', '10.0.0.9:8080', '10.0.0.10:80'],
  ],
  [
    ['a1b', 'a', 'a1', 'ab', ''],
    ['', 'a', 'a1', 'a1b', 'ab'],
  ],
  [
    [
      'outbound|80||b.ns',
      'inbound|90||',
      'outbound|443||a-10.ns',
      'outbound|8080|v1|a-9.ns',
      'outbound|443|v1|a-9.ns',
    ],
    [
      'outbound|443|v1|a-9.ns',
      'outbound|8080|v1|a-9.ns',
      'outbound|443||a-10.ns',
      'outbound|80||b.ns',
      'inbound|90||',
    ],
  ],
  [
    ['outbound_.80_._.b.ns', 'outbound_.443_.v1_.a.ns', 'outbound_.80_.v1_.a.ns'],
    ['outbound_.80_.v1_.a.ns', 'outbound_.443_.v1_.a.ns', 'outbound_.80_._.b.ns'],
  ],
  [
    [
      'sidecar~10.0.0.1~web-10.shop~shop.svc',
      'router~10.0.0.2~web-9.shop~shop.svc',
      'sidecar~10.0.0.3',
      'shop',
    ],
    [
      'shop',
      'sidecar~10.0.0.3',
      'router~10.0.0.2~web-9.shop~shop.svc',
      'sidecar~10.0.0.1~web-10.shop~shop.svc',
    ],
  ],
])('compareNames orders %j as people count', (given, ordered) => {
  expect([...given].sort(compareNames)).toEqual(ordered);
});
