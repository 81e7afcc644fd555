import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aggregateTopology } from '@/lib/views/graph/aggregate-topology';
import { buildTopology } from '@/lib/views/graph/build-topology';
import type { GraphNode } from '@/lib/views/graph/schema';
import { isNodeInTrouble, type Topology } from '@/lib/views/graph/topology';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '../../../support/builders/topology-mesh';

/** One listener, a route for each cluster, `perCluster` endpoints in one locality each. */
function mesh(
  clusters: number,
  perCluster: number,
  broken: (index: number) => boolean = () => false,
): Topology {
  const names = Array.from({ length: clusters }, (_, index) => `c${index}`);
  const resources: MeshResource[] = [
    apiListener('l', { rds: 'r' }),
    routeConfig('r', Object.fromEntries(names.map((name) => [`/${name}`, name]))),
  ];
  names.forEach((name, index) => {
    const members = Array.from({ length: perCluster }, (_, nth) =>
      broken(index * perCluster + nth) ? `10.0.${index}.${nth}:80 UNHEALTHY` : `10.0.${index}.${nth}:80`,
    );
    resources.push(edsCluster(name), endpoints(name, [{ zone: 'a', endpoints: members }]));
  });
  return buildTopology(topologyInput(resources));
}

function standsFor(nodes: readonly GraphNode[]): number {
  return nodes.reduce((sum, node) => sum + (node.stands?.count ?? 1), 0);
}
const aggregates = (nodes: readonly GraphNode[]) => nodes.filter((node) => node.kind === 'aggregate');

test('aggregateTopology leaves a small topology as it is', () => {
  const topology = mesh(5, 4);
  expect(aggregateTopology(topology)).toEqual({ ...topology, aggregated: false });
});

test('aggregateTopology collapses many endpoints and shows the unhealthy ones', () => {
  const { nodes, aggregated } = aggregateTopology(mesh(1, 412, (index) => [7, 99, 300].includes(index)));
  expect(aggregated).toBe(true);
  expect(nodes.filter(isNodeInTrouble).map(({ name }) => name)).toEqual([
    '10.0.0.7:80',
    '10.0.0.99:80',
    '10.0.0.300:80',
  ]);
  expect(aggregates(nodes)).toMatchObject([
    {
      name: '409 more endpoints',
      detail: '',
      status: 'HEALTHY',
      stands: { kind: 'endpoint', count: 409, trouble: 0 },
    },
  ]);
});

test('aggregateTopology describes the hidden statuses, worst first', () => {
  const { nodes } = aggregateTopology(
    mesh(1, 1000, (index) => index < 900),
    { limit: 50 },
  );
  const [rest] = aggregates(nodes);
  expect(rest?.status).toBe('UNHEALTHY');
  expect(rest?.detail).toBe(`${rest?.stands?.trouble} unhealthy`);
  expect(nodes.length).toBeLessThanOrEqual(50);
  expect(nodes.filter(({ status }) => status === 'UNHEALTHY').length).toBeGreaterThan(20);
});

test('aggregateTopology of many clusters keeps the paths of some, and counts all kinds', () => {
  const topology = mesh(600, 2);
  const { nodes, edges } = aggregateTopology(topology);
  expect(nodes.length).toBeLessThanOrEqual(300);
  expect(standsFor(nodes)).toBe(topology.nodes.length);
  expect(aggregates(nodes).map(({ name }) => name)).toEqual([
    '592 more routes',
    '592 clusters',
    '592 priorities',
    '592 localities',
    '1,184 endpoints',
  ]);
  expect(
    edges.filter(({ source }) => source === aggregates(nodes)[0]?.id).map(({ target }) => target),
  ).toEqual([aggregates(nodes)[1]?.id]);
});

test('aggregateTopology shows nodes in trouble with their ancestors', () => {
  const { nodes, edges } = aggregateTopology(
    mesh(600, 2, (index) => index === 501),
    { limit: 100 },
  );
  const path: string[] = [];
  let at = nodes.find((node) => node.status === 'UNHEALTHY');
  while (at !== undefined) {
    path.unshift(at.name);
    const up = edges.find(({ target }) => target === at?.id)?.source;
    at = nodes.find(({ id }) => id === up);
  }
  expect(path).toEqual(['l', 'r', 'default', 'prefix /c250', 'c250', 'P0', 'eu / a', '10.0.250.1:80']);
});

test('aggregateTopology opens aggregates page by page, without closing others', () => {
  const topology = mesh(1, 500);
  const closed = aggregateTopology(topology);
  const [first] = aggregates(closed.nodes);
  const opened = aggregateTopology(topology, { expand: [first?.id ?? ''] });
  const [second] = aggregates(opened.nodes);
  expect([first?.stands?.count, second?.stands?.count]).toEqual([500, 400]);
  const further = aggregateTopology(topology, { expand: [first?.id ?? '', second?.id ?? ''] });
  expect(aggregates(further.nodes)[0]?.stands?.count).toBe(300);
  const ids = new Set(further.nodes.map(({ id }) => id));
  expect(opened.nodes.filter(({ id, kind }) => kind !== 'aggregate' && !ids.has(id))).toEqual([]);
});

test('aggregateTopology opens an aggregate below an aggregate together with its ancestors', () => {
  const topology = mesh(600, 2);
  const hidden = aggregates(aggregateTopology(topology).nodes).at(-1);
  const { nodes } = aggregateTopology(topology, { expand: [hidden?.id ?? ''], limit: 300 });
  expect(nodes.length).toBeGreaterThan(300);
  expect(nodes.length).toBeLessThanOrEqual(600);
  expect(standsFor(nodes)).toBe(topology.nodes.length);
});

test('aggregateTopology ignores invalid ids', () => {
  const topology = mesh(400, 2);
  const odd = [
    '',
    'x',
    'more:cluster:0@nowhere',
    'more:nonsense:0@',
    'more:endpoint:999999999@',
    `${'more:route:0@'.repeat(50)}`,
  ];
  expect(aggregateTopology(topology, { expand: odd })).toEqual(aggregateTopology(topology));
});

test('aggregateTopology shows the neighbourhood of the focus first', () => {
  const { nodes } = aggregateTopology(mesh(600, 2), { focus: 'cluster:c123' });
  const shown = nodes.filter(({ kind }) => kind !== 'aggregate').map(({ name }) => name);
  expect(shown).toEqual([
    'l',
    'r',
    'default',
    'prefix /c123',
    'c123',
    'P0',
    'eu / a',
    '10.0.123.0:80',
    '10.0.123.1:80',
  ]);
});

test('aggregateTopology shows the matches of a search', () => {
  const { nodes } = aggregateTopology(mesh(600, 2), { find: 'type=cluster name~c57' });
  const names = nodes.map(({ name }) => name);
  expect(['c57', 'c570', 'c579'].every((name) => names.includes(name))).toBe(true);
});

test('aggregateTopology draws 10,000 clusters with 50,000 endpoints as a few hundred elements', () => {
  const topology = mesh(10_000, 5, (index) => index % 100 === 0);
  const { nodes, edges } = aggregateTopology(topology);
  expect(topology.nodes.length).toBe(90_003);
  expect(nodes.length).toBeLessThanOrEqual(300);
  expect(edges.length).toBeLessThanOrEqual(1500);
  expect(standsFor(nodes)).toBe(topology.nodes.length);
  const trouble = nodes.reduce(
    (sum, node) => sum + (node.stands?.trouble ?? (isNodeInTrouble(node) ? 1 : 0)),
    0,
  );
  expect(trouble).toBe(500);
});

test('aggregateTopology counts every node, whatever the graph is', () => {
  const kinds = ['listener', 'cluster', 'endpoint', 'secret'] as const;
  const statuses = ['ACKED', 'NACKED', 'HEALTHY'] as const;
  const graphs = fc.tuple(
    fc.array(fc.record({ kind: fc.constantFrom(...kinds), status: fc.constantFrom(...statuses) }), {
      maxLength: 60,
    }),
    fc.array(fc.tuple(fc.nat(59), fc.nat(59)), { maxLength: 80 }),
    fc.integer({ min: 1, max: 40 }),
  );
  fc.assert(
    fc.property(graphs, ([made, links, limit]) => {
      const nodes = made.map(({ kind, status }, index): GraphNode => {
        const none = {
          detail: '',
          reason: '',
          unused: '',
        };
        return { ...none, id: `n${index}`, name: `n${index}`, kind, status };
      });
      const edges = links
        .filter(([source, target]) => source < nodes.length && target < nodes.length)
        .map(([source, target], index) => ({
          id: `e${index}`,
          source: `n${source}`,
          target: `n${target}`,
          kind: 'routes' as const,
          label: '',
        }));
      const drawn = aggregateTopology({ nodes, edges }, { limit });
      expect(standsFor(drawn.nodes)).toBe(nodes.length);
      const ids = new Set(drawn.nodes.map(({ id }) => id));
      expect(ids.size).toBe(drawn.nodes.length);
      expect(drawn.edges.every(({ source, target }) => ids.has(source) && ids.has(target))).toBe(true);
    }),
  );
});
