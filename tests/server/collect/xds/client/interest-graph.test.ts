import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { InterestGraph } from '@/server/collect/xds/client/interest-graph';
import { reachableFrom } from '@/tests/support/reachable-from';
import '../../../../support/seeded-properties';
import { runs } from '@/tests/support/runs';

const keyOf = ({ typeUrl }: { typeUrl: string }, name: string): ResourceKey => ({ typeUrl, name });
const [shop, routes, cart, endpoints] = [
  keyOf(LDS, 'shop'),
  keyOf(RDS, 'routes'),
  keyOf(CDS, 'cart'),
  keyOf(EDS, 'cart'),
];

function onShop(): InterestGraph {
  const graph = new InterestGraph();
  graph.addRoot(shop);
  graph.follow(shop, [routes]);
  graph.follow(routes, [cart]);
  graph.follow(cart, [endpoints]);
  graph.take();
  return graph;
}

describe('InterestGraph', () => {
  test('adds what the roots reference as their content becomes known', () => {
    const graph = new InterestGraph();
    graph.addRoot(shop);
    expect(graph.take()).toEqual({ added: [shop], removed: [] });
    graph.follow(shop, [routes]);
    expect(graph.take()).toEqual({ added: [routes], removed: [] });
    graph.follow(shop, [routes]);
    expect(graph.take()).toEqual({ added: [], removed: [] });
  });

  test('removes everything that only a removed reference reached', () => {
    const graph = onShop();
    graph.follow(routes, []);
    expect(graph.take()).toEqual({ added: [], removed: [cart, endpoints] });
  });

  test('keeps the references of a resource that is not reached', () => {
    const graph = onShop();
    graph.follow(routes, []);
    graph.take();
    graph.follow(routes, [cart]);
    expect(graph.take()).toEqual({ added: [cart, endpoints], removed: [] });
  });

  test('reports no change for keys that were removed and added again', () => {
    const graph = onShop();
    graph.follow(routes, []);
    graph.follow(routes, [cart]);
    expect(graph.take()).toEqual({ added: [], removed: [] });
  });

  test('removes a cycle that no root reaches', () => {
    const graph = onShop();
    const other = keyOf(CDS, 'other');
    graph.follow(other, [cart]);
    graph.follow(cart, [endpoints, other]);
    expect(graph.take()).toEqual({ added: [other], removed: [] });
    graph.follow(routes, []);
    expect(new Set(graph.take().removed)).toEqual(new Set([cart, endpoints, other]));
  });
});

test('InterestGraph reaches the same keys as a traversal from the roots, after any changes', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const cluster = fc.constantFrom(...names).map((name) => keyOf(CDS, name));
  const step = fc.oneof(
    fc.record({ kind: fc.constant('root' as const), key: cluster, isRoot: fc.boolean() }),
    fc.record({
      kind: fc.constant('follow' as const),
      key: cluster,
      follows: fc.uniqueArray(cluster, { maxLength: 3, selector: resourceKey }),
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 12 }), (rounds) => {
      const graph = new InterestGraph();
      const roots = new Map<string, ResourceKey>();
      const follows = new Map<string, readonly ResourceKey[]>();
      const wanted = new Set<string>();
      for (const round of rounds) {
        for (const each of round) {
          const id = resourceKey(each.key);
          if (each.kind === 'follow') {
            follows.set(id, each.follows);
            graph.follow(each.key, each.follows);
          } else if (each.isRoot) {
            roots.set(id, each.key);
            graph.addRoot(each.key);
          } else {
            roots.delete(id);
            graph.removeRoot(each.key);
          }
        }
        const { added, removed } = graph.take();
        for (const key of added) wanted.add(key.name);
        for (const key of removed) wanted.delete(key.name);
        const reached = reachableFrom(roots.values(), (key) => follows.get(resourceKey(key)) ?? []);
        expect([...wanted].sort()).toEqual([...(reached.get(CDS.typeUrl) ?? [])].sort());
      }
    }),
    { numRuns: runs(500) },
  );
});
