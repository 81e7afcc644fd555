import { expect, test } from 'vitest';
import { aggregateTopology } from '@/lib/views/graph/aggregate-topology';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { listMatches } from '@/lib/views/graph/find-in-topology';
import { hideNodes } from '@/lib/views/graph/hide-nodes';
import {
  apiListener,
  edsCluster,
  endpoints,
  routeConfig,
  topologyInput,
} from '../../../support/builders/topology-mesh';

const shop = buildTopology(
  topologyInput([
    apiListener('shop', { rds: 'routes' }),
    routeConfig('routes', { '/cart': 'cart', '/pay': 'pay', '': 'web' }),
    edsCluster('cart'),
    edsCluster('pay', 'shared'),
    edsCluster('web', 'shared'),
    endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }]),
    endpoints('shared', [{ zone: 'a', endpoints: ['10.0.1.1:80'] }]),
  ]),
);
const removedBy = (...texts: string[]): string[] => {
  const { nodes, edges } = hideNodes(shop, texts);
  const left = new Set(nodes.map(({ id }) => id));
  expect(edges.filter(({ source, target }) => !left.has(source) || !left.has(target))).toEqual([]);
  return shop.nodes.filter(({ id }) => !left.has(id)).map(({ id }) => id);
};

test('hideNodes removes a cluster with its endpoints', () => {
  expect(removedBy('type=cluster name=cart')).toEqual([
    'cluster:cart',
    'endpoints:cart>P0',
    'endpoints:cart>P0>eu / a',
    'endpoints:cart>P0>eu / a>10.0.0.1:80',
  ]);
});

test('hideNodes keeps endpoints that another cluster has, until that is hidden as well', () => {
  expect(removedBy('type=cluster name=pay')).toEqual(['cluster:pay']);
  expect(removedBy('type=cluster name=pay', 'type=cluster name=web')).toContain(
    'endpoints:shared>P0>eu / a>10.0.1.1:80',
  );
});

test('hideNodes keeps resources whose parents are hidden, and everything without a match', () => {
  const removed = removedBy('type=route-config');
  expect(removed).toContain('route-config:routes>default>prefix /cart');
  expect(removed.filter((id) => id.startsWith('cluster'))).toEqual([]);
  expect(removedBy('no such node')).toEqual([]);
  expect(hideNodes(shop, [])).toBe(shop);
});

test('listMatches counts matches that are not drawn, and any of them can be drawn first', () => {
  const addresses = Array.from({ length: 1_500 }, (_, at) => `10.0.${Math.floor(at / 250)}.${at % 250}:80`);
  const large = buildTopology(
    topologyInput([edsCluster('big'), endpoints('big', [{ zone: 'a', endpoints: addresses }])]),
  );
  const find = 'type=endpoint';
  const all = listMatches(large, find);
  expect([all.total, all.first, all.ids.length]).toEqual([1_500, 0, 1_000]);
  const late = listMatches(large, find, 1_400);
  expect([late.total, late.first, late.ids.length]).toEqual([1_500, 1_400, 100]);
  const drawn = (match: number) =>
    new Set(aggregateTopology(large, { find, match }).nodes.map(({ id }) => id));
  expect(drawn(0).has(late.ids[0] ?? '')).toBe(false);
  expect(drawn(1_400).has(late.ids[0] ?? '')).toBe(true);
});
