import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import { buildFlow, type FlowNode } from '@/lib/views/failover/build-flow';
import { buildLbTreeNode } from '@/lib/views/failover/build-lb-tree-node';
import { buildSimulation } from '@/lib/views/failover/build-simulation';
import { chooseByRank, fairShares } from '@/lib/views/failover/fair-shares';
import { layoutFlow } from '@/lib/views/failover/layout-flow';
import { layoutLbTree } from '@/lib/views/failover/layout-lb-tree';
import { newestOf } from '@/lib/xds/profile';
import { lbTreeOf } from '../../../support/builders/lb-tree';
import { resolverOver } from '../../../support/builders/resolve-mesh';
import { apiListener, edsCluster, endpoints, routeConfig } from '../../../support/builders/topology-mesh';

/** 1,000 localities in ten priorities with 10,000 endpoints, of which one in the last locality is unhealthy. */
const large = [
  edsCluster('large'),
  endpoints(
    'large',
    Array.from({ length: 1_000 }, (_, at) => ({
      zone: `zone-${at}`,
      priority: at % 10,
      weight: 1 + (at % 3),
      endpoints: Array.from({ length: 10 }, (_, nth) => {
        const health = at === 999 && nth === 9 ? 'UNHEALTHY' : 'HEALTHY';
        return `10.${at >> 8}.${at & 255}.${nth}:80 ${health}`;
      }),
    })),
  ),
];

function play(changes: Parameters<typeof buildSimulation>[1] = [], find = '') {
  const mesh = [apiListener('shop', { rds: 'r' }), routeConfig('r', { '': 'large' }), ...large];
  const resolver = resolverOver(mesh);
  const traffic = trafficOfCluster('large', newestOf('core'), (name) => resolver.findCluster(name));
  if (typeof traffic === 'string') throw new Error(traffic);
  return buildSimulation(traffic, changes, 0, find);
}

const nodesOf = (node: FlowNode): FlowNode[] => [node, ...node.children.flatMap(nodesOf)];

describe('a cluster of 1,000 localities and 10,000 endpoints', () => {
  it('lists localities of priorities evenly, with unhealthy, changed and found ones first', () => {
    const { priorities } = play();
    expect(priorities.map(({ localities }) => localities.length)).toEqual(priorities.map(() => 6));
    const last = priorities[9]?.localities.find(({ name }) => name === 'eu / zone-999');
    expect(last?.endpoints.map(({ health }) => health)).toContain('UNHEALTHY');

    const address = '10.1.244.7:80';
    const changed = play([{ kind: 'condition', at: 0, target: { address }, to: 'dead' }]);
    const listed = changed.priorities.flatMap(({ localities }) =>
      localities.flatMap((each) => each.endpoints),
    );
    expect(listed.map((each) => each.address)).toContain(address);

    const found = play([], 'zone-777').priorities.flatMap(({ localities }) => localities);
    expect(found.map(({ name }) => name)).toContain('eu / zone-777');
  });

  it('counts the conditions of all endpoints, of which it lists a few', () => {
    const target = { priority: 9, locality: 'eu / zone-999' };
    const [before, after] = [play(), play([{ kind: 'condition', at: 0, target, to: 'dead' }])].map(
      ({ priorities, moments: [moment] }) => ({
        ...moment?.all[9],
        place: priorities[9]?.localities.findIndex(({ name }) => name === target.locality) ?? -1,
      }),
    );
    expect(before).toMatchObject({ condition: undefined, healthy: 999 });
    expect(before?.localities?.[before.place]).toEqual({ healthy: 9 });
    expect(after).toMatchObject({ condition: undefined, healthy: 990 });
    expect(after?.localities?.[after.place]).toEqual({ condition: 'dead', healthy: 0 });
    expect(play().moments[0]?.all[0]).toMatchObject({ condition: 'healthy', healthy: 1_000 });
  });

  it('is drawn with less than 150 bars, including one for the omitted localities and one for each changed locality', () => {
    const target = { priority: 3, locality: 'eu / zone-993' };
    const simulation = play([{ kind: 'condition', at: 0, target, to: 'dead' }]);
    const [moment] = simulation.moments;
    if (moment === undefined) throw new Error('expected a moment, got none');
    for (const side of ['grpc', 'envoy'] as const) {
      const flow = buildFlow(simulation, moment, side);
      const nodes = nodesOf(flow);
      expect(nodes.length).toBeLessThan(150);
      expect(nodes.map(({ label }) => label)).toContain('eu / zone-993');
      for (const node of nodes) {
        const below = node.children.reduce((sum, { load }) => sum + load, 0);
        if (node.children.length > 0) expect(below).toBeCloseTo(node.load, 4);
      }
      expect(layoutFlow(flow, 600).heightPx).toBeLessThan(2_500);
    }
  });

  it('has a tree of some hundred lines', () => {
    const tree = buildLbTreeNode(lbTreeOf('core', 'large', large));
    const { rows } = layoutLbTree(tree, 600);
    expect(rows.length).toBeLessThan(300);
    expect(rows.map(({ label }) => label)).toContain('10.3.231.9:80');
    expect(JSON.stringify(tree).length).toBeLessThan(250_000);
  });
});

describe('fairShares', () => {
  const wanted = fc.array(fc.nat(50), { minLength: 1, maxLength: 20 });

  it('distributes the wanted number, or all, evenly', () => {
    fc.assert(
      fc.property(wanted, fc.nat(300), (wants, all) => {
        const shares = fairShares(wants, all);
        const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
        expect(sum(shares)).toBe(Math.min(all, sum(wants)));
        shares.forEach((share, at) => {
          expect(share).toBeLessThanOrEqual(wants[at] ?? 0);
          if (share < (wants[at] ?? 0)) expect(share).toBeGreaterThanOrEqual(Math.max(...shares) - 1);
        });
      }),
    );
  });

  it('chooseByRank returns the items of the lowest ranks in order', () => {
    expect(chooseByRank([5, 1, 4, 2, 3], 3, (each) => each)).toEqual([1, 2, 3]);
    expect(chooseByRank([5, 1], 3, (each) => each)).toEqual([5, 1]);
  });
});
