import { expect, test } from 'vitest';
import type { Graph, GraphNode } from '@/lib/views/graph/schema';
import { findResourceNode } from '@/lib/views/resources/find-resource-node';
import { CDS, EDS, RDS } from '@/lib/xds/resource-type';

function node(
  id: string,
  name: string,
  typeUrl: string | undefined,
  resourceName: string | undefined,
): GraphNode {
  return {
    id,
    kind: 'cluster',
    name,
    status: 'NONE',
    detail: '',
    typeUrl,
    resourceName,
    reason: '',
    unused: '',
  };
}

const graph: Graph = {
  clientId: 'c',
  at: Date.parse('2026-11-20T10:00:00.000Z'),
  nodes: [
    node('vh', '*', RDS.typeUrl, 'routes'),
    node('rc', 'routes', RDS.typeUrl, 'routes'),
    node('cluster', 'cart', CDS.typeUrl, 'cart'),
    node('endpoint', '10.0.0.1:80', EDS.typeUrl, 'cart'),
    node('aggregate', '12 endpoints', undefined, undefined),
  ],
  edges: [],
  totals: { nodes: 5, edges: 0 },
  aggregated: false,
  hidden: 0,
};

test.each([
  ['the node that bears the name comes before its parts', { typeUrl: RDS.typeUrl, name: 'routes' }, 'rc'],
  ['types with the same name are kept apart', { typeUrl: CDS.typeUrl, name: 'cart' }, 'cluster'],
  ['a part stands in where the resource has no node', { typeUrl: EDS.typeUrl, name: 'cart' }, 'endpoint'],
  ['what is not in the picture is not found', { typeUrl: EDS.typeUrl, name: 'pay' }, undefined],
  ['nothing selected is nothing found', null, undefined],
])('findResourceNode: %s', (_, key, id) => {
  expect(findResourceNode(graph, key)?.id).toBe(id);
});
