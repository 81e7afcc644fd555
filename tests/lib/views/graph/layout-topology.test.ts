import { expect, test } from 'vitest';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { layoutTopology, type PlacedNode, type TopologyLayout } from '@/lib/views/graph/layout-topology';
import type { GraphNode } from '@/lib/views/graph/schema';
import { CDS } from '@/lib/xds/resource-type';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '../../../support/builders/topology-mesh';

const build = (resources: readonly MeshResource[]) => buildTopology(topologyInput(resources));
const shop = [
  apiListener('shop', { rds: 'r' }),
  routeConfig('r', { '/z': 'cart', '/a': { cart: 1, pay: 3 }, '': 'all' }),
  aggregateCluster('all', ['cart', 'pay']),
  edsCluster('cart'),
  edsCluster('pay'),
  endpoints('cart', [
    { zone: 'a', endpoints: ['10.0.0.1:80', '10.0.0.2:80'] },
    { zone: 'b', endpoints: ['10.0.1.1:80'] },
  ]),
  endpoints('pay', [{ zone: 'a', endpoints: ['10.0.2.1:80', '10.0.2.2:80', '10.0.2.10:80'] }]),
];
const byHeight = (layout: TopologyLayout, kind: GraphNode['kind']) =>
  layout.nodes.filter(({ node }) => node.kind === kind).sort((a, b) => a.y - b.y);
const names = (placed: readonly PlacedNode[]) => placed.map(({ node }) => node.name);

test('layoutTopology has a column for every kind, and one for aggregate clusters before their leaves', () => {
  expect(layoutTopology(build(shop)).columns.flatMap(({ headings }) => headings)).toEqual([
    '1 listener',
    '1 route config',
    '1 virtual host',
    '3 routes',
    '1 cluster',
    '2 clusters',
    '2 priorities',
    '3 localities',
    '6 endpoints',
  ]);
});

test('layoutTopology keeps routes in the order of precedence', () => {
  expect(names(byHeight(layoutTopology(build(shop)), 'route'))).toEqual([
    'prefix /z',
    'prefix /a',
    'every path',
  ]);
});

test('layoutTopology keeps endpoints next to their locality, by address', () => {
  expect(names(byHeight(layoutTopology(build(shop)), 'endpoint'))).toEqual([
    '10.0.0.1:80',
    '10.0.0.2:80',
    '10.0.1.1:80',
    '10.0.2.1:80',
    '10.0.2.2:80',
    '10.0.2.10:80',
  ]);
});

test('layoutTopology places a parent beside the middle of its children', () => {
  const layout = layoutTopology(build(shop));
  const middle = ({ y, height }: PlacedNode) => y + height / 2;
  const pay = layout.nodes.find(
    ({ node }) => node.id.startsWith('endpoints:pay>P0>') && node.kind === 'locality',
  );
  const own = byHeight(layout, 'endpoint').filter(({ node }) => node.id.startsWith('endpoints:pay'));
  const mean = own.reduce((sum, placed) => sum + middle(placed), 0) / own.length;
  expect(pay && Math.abs(middle(pay) - mean)).toBeLessThan(1);
});

test('layoutTopology places clusters beside their own priorities, wherever a secret of all of them is', () => {
  const services = Array.from({ length: 8 }, (_, index) => `s${index}`);
  const layout = layoutTopology(
    build([
      apiListener('shop', { rds: 'r' }),
      routeConfig('r', Object.fromEntries(services.map((name) => [`/${name}`, name]))),
      ...services.flatMap((name) => [
        edsCluster(name, '', 'tls'),
        endpoints(name, [{ zone: 'a', endpoints: ['10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80'] }]),
      ]),
    ]),
  );
  const middles = (kind: GraphNode['kind']) =>
    byHeight(layout, kind)
      .filter(({ node }) => node.name !== 'tls')
      .map(({ y, height }) => y + height / 2);
  expect(byHeight(layout, 'secret')).toHaveLength(1);
  expect(middles('cluster')).toEqual(middles('priority'));
});

test('layoutTopology places boxes without overlaps, within its bounds', () => {
  const layout = layoutTopology(build(shop));
  for (const a of layout.nodes) {
    expect(a.x).toBeGreaterThan(0);
    expect(a.x + a.width).toBeLessThan(layout.width);
    expect(a.y + a.height).toBeLessThan(layout.legendY);
    for (const b of layout.nodes) {
      if (a === b || a.column !== b.column) continue;
      expect(a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(true);
    }
  }
});

test('layoutTopology draws edges from the right side of a box to the left side of another', () => {
  const layout = layoutTopology(build(shop));
  const boxes = new Map(layout.nodes.map((placed) => [placed.node.id, placed]));
  for (const { edge, path } of layout.edges) {
    const [source, target] = [boxes.get(edge.source), boxes.get(edge.target)];
    const numbers = path.match(/-?[\d.]+/g)?.map(Number) ?? [];
    expect(numbers.slice(0, 2)).toEqual([
      source && source.x + source.width,
      source && source.y + source.height / 2,
    ]);
    expect(numbers.slice(-2)).toEqual([target?.x, target && target.y + target.height / 2]);
  }
});

test('layoutTopology leads an edge through a lane of each column that it passes', () => {
  const layout = layoutTopology(build(shop));
  const aggregate = layout.nodes.find(({ node }) => node.name === 'all');
  const past = layout.edges.find(({ edge }) => edge.source.endsWith('prefix /z'));
  // The path is straight over the width of the column.
  const numbers = past?.path.match(/-?[\d.]+/g)?.map(Number) ?? [];
  const y = numbers.at(numbers.indexOf(aggregate?.x ?? -1) + 1) ?? 0;
  expect(aggregate && (y < aggregate.y || y > aggregate.y + aggregate.height)).toBe(true);
});

test('layoutTopology is deterministic', () => {
  const places = (layout: TopologyLayout) => layout.nodes.map(({ node, x, y }) => [node.id, x, y]);
  expect(places(layoutTopology(build([...shop].reverse())))).toEqual(places(layoutTopology(build(shop))));
});

test('layoutTopology keeps the order of clusters when a route prefers another one', () => {
  const two = (routes: Record<string, string>) => [
    routeConfig('r', routes),
    edsCluster('a'),
    edsCluster('b'),
  ];
  const before = layoutTopology(build(two({ '/1': 'b', '/2': 'a' })));
  expect(names(byHeight(before, 'cluster'))).toEqual(['b', 'a']);
  const swapped = build(two({ '/1': 'a', '/2': 'b' }));
  expect(names(byHeight(layoutTopology(swapped), 'cluster'))).toEqual(['a', 'b']);
  const after = layoutTopology(swapped, { previousOrder: before.order });
  expect(names(byHeight(after, 'cluster'))).toEqual(['b', 'a']);
});

test('layoutTopology shows a new order of routes, whatever the order was before', () => {
  const before = layoutTopology(build([routeConfig('r', { '/1': 'a', '/2': 'b' })]));
  const after = layoutTopology(build([routeConfig('r', { '/2': 'b', '/1': 'a' })]), {
    previousOrder: before.order,
  });
  expect(names(byHeight(after, 'route'))).toEqual(['prefix /2', 'prefix /1']);
});

test('layoutTopology leaves the other endpoints in order when one joins', () => {
  const mesh = (members: string[]) => [edsCluster('c'), endpoints('c', [{ zone: 'a', endpoints: members }])];
  const before = layoutTopology(build(mesh(['10.0.0.3:80', '10.0.0.1:80'])));
  const after = layoutTopology(build(mesh(['10.0.0.3:80', '10.0.0.1:80', '10.0.0.2:80'])), {
    previousOrder: before.order,
  });
  expect(names(byHeight(after, 'endpoint'))).toEqual(['10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80']);
});

test('layoutTopology handles cycles, self-references, edges to missing nodes, and empty graphs', () => {
  const cycle = build([
    aggregateCluster('a', ['b', 'a']),
    aggregateCluster('b', ['a', 'c']),
    edsCluster('c'),
  ]);
  expect(layoutTopology(cycle).nodes).toHaveLength(cycle.nodes.length);
  const edge = { id: 'e', source: 'x', target: 'y', kind: 'routes' as const, label: '' };
  expect(layoutTopology({ nodes: [], edges: [edge] })).toMatchObject({ nodes: [], edges: [], columns: [] });
});

test('layoutTopology shows the short form of a name', () => {
  const name = 'outbound|8080|v1|cart.shop.svc.cluster.local';
  const [placed] = layoutTopology(build([{ typeUrl: CDS.typeUrl, name }])).nodes;
  expect(placed).toMatchObject({ title: 'cart.shop :8080 v1', node: { name } });
});

test('layoutTopology shortens names in what they have in common', () => {
  const names = ['0001', '0002'].map(
    (end) => `projects/${'x'.repeat(60)}/clusters/${end}.example.com/endpoint`,
  );
  const { nodes } = layoutTopology(build(names.map((name) => ({ typeUrl: CDS.typeUrl, name }))));
  const titles = nodes.filter(({ node }) => node.kind === 'cluster').map(({ title }) => title);
  expect(titles).toHaveLength(2);
  expect(titles[0]).toMatch(/^projec.*….*\/0001\..*dpoint$/);
  expect(titles[1]).toMatch(/^projec.*….*\/0002\..*dpoint$/);
});

test('layoutTopology shortens one long name in the middle, and keeps the full name', () => {
  const name = `authority/${'x'.repeat(200)}/cart`;
  const [placed] = layoutTopology(build([{ typeUrl: CDS.typeUrl, name }])).nodes;
  expect(placed?.title).toMatch(/^authority.*….*\/cart$/);
  expect(placed?.title.length).toBeLessThan(40);
  expect(placed?.node.name).toBe(name);
});

test('layoutTopology lists the occurring statuses, worst first', () => {
  const layout = layoutTopology(
    build([
      ...shop,
      { typeUrl: CDS.typeUrl, name: 'x', clientStatus: 'NACKED' },
      { typeUrl: CDS.typeUrl, name: 'y' },
    ]),
  );
  expect(layout.legend).toEqual(['NACKED', 'REQUESTED', 'ACKED', 'HEALTHY']);
});
