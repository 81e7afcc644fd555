import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { TopologyPanelState } from '@/app/_drawings/topology/topology-panel-state';
import { useMatches } from '@/app/_drawings/topology/use-matches';
import { buildTopology } from '@/lib/views/graph/build-topology';
import type { Graph } from '@/lib/views/graph/schema';
import { apiListener, edsCluster, routeConfig, topologyInput } from '../support/builders/topology-mesh';

const topology = buildTopology(
  topologyInput([
    apiListener('shop', { rds: 'shop-routes' }),
    routeConfig('shop-routes', { '/cart': 'cart', '/checkout': 'checkout' }),
    edsCluster('cart'),
    edsCluster('checkout'),
  ]),
);
const graph: Graph = {
  ...{
    clientId: 'c',
    at: 0,
    nodes: [...topology.nodes],
    edges: [...topology.edges],
    aggregated: false,
    hidden: 0,
  },
  totals: { nodes: topology.nodes.length, edges: topology.edges.length },
};
const nothing = { selected: null, find: '', expand: [], table: false, legend: true, mark: '' };

/** Returns the ids of found nodes, and the change of the state by a step to the next or previous one. */
function walk(state: Partial<TopologyPanelState>, step: 1 | -1, shown = graph) {
  const changes: Partial<TopologyPanelState>[] = [];
  let ids: ReadonlySet<string> | null = null;
  function Panel() {
    const { matches, walkMatches } = useMatches(shown, { ...nothing, ...state }, (change) =>
      changes.push(change),
    );
    ids = matches;
    walkMatches(step);
    return null;
  }
  renderToStaticMarkup(<Panel />);
  return { ids, changes };
}

test('without a search nothing is found and no step is taken', () => {
  expect(walk({}, 1)).toEqual({ ids: null, changes: [] });
});

test('steps go from match to match and around', () => {
  const [first, second] = [...(walk({ find: 'type=cluster' }, 1).ids ?? [])] as string[];
  expect(walk({ find: 'type=cluster' }, 1).changes).toEqual([{ selected: first }]);
  expect(walk({ find: 'type=cluster', selected: first ?? '' }, 1).changes).toEqual([{ selected: second }]);
  expect(walk({ find: 'type=cluster', selected: second ?? '' }, 1).changes).toEqual([{ selected: first }]);
  expect(walk({ find: 'type=cluster', selected: first ?? '' }, -1).changes).toEqual([{ selected: second }]);
});

test('a match that is not drawn is requested by its index', () => {
  const matches = { find: 'cart', total: 7, first: 2, ids: ['elsewhere'] };
  const drawn: Graph = { ...graph, aggregated: true, matches };
  expect(walk({ find: 'cart', match: 2, selected: 'elsewhere' }, 1, drawn).changes).toEqual([{ match: 3 }]);
});
