import { describe, expect, it } from 'vitest';
import { markGraph } from '@/lib/views/changes/mark-graph';
import type { Graph, GraphNode } from '@/lib/views/graph/schema';
import { CDS, EDS, RDS } from '@/lib/xds/resource-type';

function nodeOf(id: string, kind: GraphNode['kind'], typeUrl: string, resourceName: string): GraphNode {
  const rest = {
    status: 'ACKED',
    detail: '',
    hash: 'a',
    reason: '',
    unused: '',
  } as const;
  return { id, kind, name: resourceName, typeUrl, resourceName, ...rest };
}

const graph: Graph = {
  clientId: 'c',
  at: Date.parse('2026-01-01T00:00:00.000Z'),
  nodes: [
    nodeOf('cluster:a', 'cluster', CDS.typeUrl, 'a'),
    nodeOf('endpoints:a>P0', 'priority', EDS.typeUrl, 'a'),
    nodeOf('endpoints:a>P0>z>1', 'endpoint', EDS.typeUrl, 'a'),
  ],
  edges: [],
  totals: { nodes: 3, edges: 0 },
  aggregated: false,
  hidden: 0,
};

describe('markGraph()', () => {
  it('marks the nodes of changed resources, not their endpoints', () => {
    const marked = markGraph(graph, [
      { kind: 'changed', typeUrl: EDS.typeUrl, name: 'a' },
      { kind: 'added', typeUrl: CDS.typeUrl, name: 'a' },
    ]);
    expect(marked.changes).toEqual({ 'cluster:a': 'added', 'endpoints:a>P0': 'changed' });
    expect(marked.graph).toBe(graph);
  });

  it('marks changed parts of a resource if both graphs show them', () => {
    const part = (id: string, over: Partial<GraphNode> = {}): GraphNode => ({
      ...nodeOf(`endpoints:a>P0>z>${id}`, 'endpoint', EDS.typeUrl, 'a'),
      ...over,
    });
    const changed = [{ kind: 'changed', typeUrl: EDS.typeUrl, name: 'a' }] as const;
    const now = { ...graph, nodes: [part('1'), part('2', { detail: 'unhealthy' }), part('3')] };
    const before = { ...graph, nodes: [part('1'), part('2')] };
    expect(markGraph(now, changed, before).changes).toEqual({
      'endpoints:a>P0>z>2': 'changed',
      'endpoints:a>P0>z>3': 'added',
    });
    // An aggregate replaced these nodes before, so it is unknown which are new.
    const folded = { ...graph, nodes: [part('all', { kind: 'aggregate' })] };
    expect(markGraph(now, changed, folded).changes).toEqual({});
    expect(Object.values(markGraph(now, [{ ...changed[0], kind: 'added' }], before).changes)).toEqual([
      'added',
      'added',
      'added',
    ]);
  });

  it('marks a priority or a virtual host only if it changed, or if no part shows the change', () => {
    const priority = (index: number, detail: string): GraphNode => ({
      ...nodeOf(`endpoints:a>P${index}`, 'priority', EDS.typeUrl, 'a'),
      detail,
    });
    const host = (name: string, detail: string): GraphNode => ({
      ...nodeOf(`route-config:r>${name}`, 'virtual-host', RDS.typeUrl, 'r'),
      detail,
    });
    const before = { ...graph, nodes: [priority(0, ''), priority(1, ''), host('x', ''), host('y', '')] };
    const now = { ...before, nodes: [priority(0, 'down'), priority(1, ''), host('x', '*'), host('y', '')] };
    const changed = [
      { kind: 'changed', typeUrl: EDS.typeUrl, name: 'a' },
      { kind: 'changed', typeUrl: RDS.typeUrl, name: 'r' },
    ] as const;
    expect(Object.keys(markGraph(now, changed, before).changes)).toEqual([
      'endpoints:a>P0',
      'route-config:r>x',
    ]);
    expect(Object.keys(markGraph(before, changed, before).changes)).toEqual([
      'endpoints:a>P0',
      'endpoints:a>P1',
    ]);
  });

  it('adds removed resources as unconnected nodes', () => {
    const { graph: drawn, changes } = markGraph(graph, [
      { kind: 'removed', typeUrl: CDS.typeUrl, name: 'b' },
      { kind: 'removed', typeUrl: 'type.googleapis.com/unknown.Type', name: 'c' },
    ]);
    expect(drawn.nodes.at(-1)).toMatchObject({ id: 'cluster:b', kind: 'cluster', detail: 'no longer there' });
    expect(drawn.nodes).toHaveLength(4);
    expect(changes).toEqual({ 'cluster:b': 'removed' });
  });

  it('marks removed resources that are still referred to at their missing nodes', () => {
    const { graph: drawn, changes } = markGraph(graph, [
      { kind: 'removed', typeUrl: CDS.typeUrl, name: 'a' },
    ]);
    expect(drawn).toBe(graph);
    expect(changes).toEqual({ 'cluster:a': 'removed' });
  });
});
