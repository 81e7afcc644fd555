import fc from 'fast-check';
import { expect, it } from 'vitest';
import { viewGrpc } from '@/lib/lb/simulator/grpc-view';
import { initialState, openSimulation } from '@/lib/lb/simulator/step-failover';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import type { LbNode } from '@/lib/lb/tree/lb-node';
import { FieldReader } from '@/lib/model/field-reader';
import { grpcProfiles, type Profile } from '@/lib/xds/profile';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { lbTreeOf } from '@/tests/support/builders/lb-tree';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '@/tests/support/builders/topology-mesh';
import { runs } from '@/tests/support/runs';

const extension = 'type.googleapis.com/envoy.extensions.load_balancing_policies.';
const listOf = (name: string, more: object = {}) => ({
  policies: [
    { typedExtensionConfig: { name: 'x', typedConfig: { '@type': `${extension}${name}`, ...more } } },
  ],
});
const leafPolicies = [
  listOf('round_robin.v3.RoundRobin', { localityLbConfig: { localityWeightedLbConfig: {} } }),
  listOf('pick_first.v3.PickFirst'),
  listOf('least_request.v3.LeastRequest'),
  listOf('ring_hash.v3.RingHash'),
  listOf('client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin'),
  listOf('maglev.v3.Maglev'),
];
const policies = fc.constantFrom<object>(
  {},
  { lbPolicy: 'RING_HASH' },
  { lbPolicy: 'LEAST_REQUEST' },
  { lbPolicy: 'MAGLEV' },
  ...leafPolicies.map((loadBalancingPolicy) => ({ loadBalancingPolicy })),
  ...leafPolicies.map((endpointPickingPolicy) => ({
    loadBalancingPolicy: listOf('wrr_locality.v3.WrrLocality', { endpointPickingPolicy }),
  })),
);

const locality = fc.record({
  weight: fc.constantFrom(1, 2, 3, 5, 0, undefined),
  priority: fc.nat(2),
  healths: fc.array(fc.constantFrom('HEALTHY', 'UNKNOWN', 'HEALTHY', 'UNHEALTHY', 'DRAINING', 'DEGRADED'), {
    maxLength: 4,
  }),
  endpointWeight: fc.constantFrom(undefined, 1, 4),
});
const leaf = fc.record({
  policy: policies,
  localities: fc.array(locality, { minLength: 1, maxLength: 5 }),
  hasEndpoints: fc.constantFrom(true, true, true, true, true, true, true, false),
});
const mesh = fc.record({
  leaves: fc.array(leaf, { minLength: 1, maxLength: 3 }),
  profile: fc.constantFrom(...grpcProfiles),
  isAggregate: fc.boolean(),
  aggregatePolicy: policies,
});

interface Leaf {
  readonly policy: object;
  readonly localities: readonly {
    readonly weight: number | undefined;
    readonly priority: number;
    readonly healths: readonly string[];
    readonly endpointWeight: number | undefined;
  }[];
  readonly hasEndpoints: boolean;
}

function resourcesOf(name: string, { policy, localities, hasEndpoints }: Leaf, nth: number): MeshResource[] {
  const cluster = { typeUrl: CDS.typeUrl, name, body: { name, type: 'EDS', ...policy } };
  const endpoints = localities.map(({ weight, priority, healths, endpointWeight }, at) => ({
    locality: { region: 'eu', zone: `zone-${at}` },
    priority,
    ...(weight !== undefined && { loadBalancingWeight: weight }),
    lbEndpoints: healths.map((healthStatus, place) => ({
      healthStatus,
      ...(endpointWeight !== undefined && { loadBalancingWeight: endpointWeight }),
      endpoint: { address: { socketAddress: { address: `10.${nth}.${at}.${place}`, portValue: 80 } } },
    })),
  }));
  const eds = { typeUrl: EDS.typeUrl, name, body: { clusterName: name, endpoints } };
  return hasEndpoints ? [cluster, eds] : [cluster];
}

/** The shares that the tree states by itself: standings of priorities, weights of targets, and used endpoints. */
function sharesOfTree(node: LbNode, load: number, shares: Map<string, number>): void {
  if (node.use === 'ignored') return;
  if (node.policy.startsWith('priority')) {
    const live = node.children.find(({ standing }) => standing === 'live');
    if (live !== undefined) sharesOfTree(live, load, shares);
    return;
  }
  if (node.policy.startsWith('weighted_target')) {
    const targets = FieldReader.open(node.config, []).object(node.policy)?.object('targets');
    const weighed = node.children
      .filter(({ use }) => use === 'used')
      .map((child) => ({ child, weight: targets?.object(child.name)?.number('weight') ?? 0 }));
    const all = weighed.reduce((sum, { weight }) => sum + weight, 0);
    for (const { child, weight } of weighed) sharesOfTree(child, (load * weight) / all, shares);
    return;
  }
  const used = node.endpoints.filter(({ use }) => use === 'used');
  const [first] = used;
  if (first === undefined) {
    for (const child of node.children) sharesOfTree(child, load, shares);
    return;
  }
  const picked = node.policy === 'pick_first' ? [first] : used;
  const all = picked.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
  for (const { address, weight } of picked) shares.set(address, (load * (weight ?? 1)) / all);
}

/** undefined: the cluster has no traffic that could be simulated. */
function simulate(profile: Profile, cluster: string, resources: readonly MeshResource[]) {
  const resolver = resolverOver(
    [apiListener('shop', { rds: 'routes' }), routeConfig('routes', { '': cluster }), ...resources],
    { profile },
  );
  const traffic = trafficOfCluster(cluster, profile, (name) => resolver.findCluster(name));
  if (typeof traffic === 'string') return undefined;
  const simulation = openSimulation(traffic.cluster);
  const view = viewGrpc(simulation.table, simulation.groups, initialState(simulation));
  return { view, localities: simulation.table.localities };
}

function sharesOfSimulator(profile: Profile, cluster: string, resources: readonly MeshResource[]) {
  const shares = new Map<string, number>();
  const simulated = simulate(profile, cluster, resources);
  if (simulated === undefined) return shares;
  let at = 0;
  for (const { endpoints } of simulated.localities)
    for (const { address } of endpoints) {
      const load = simulated.view.loads.endpoints[at++] ?? 0;
      if (load > 0) shares.set(address, load);
    }
  return shares;
}

const rounded = (shares: ReadonlyMap<string, number>) =>
  [...shares].map(([address, load]) => [address, load.toFixed(9)]).sort();

it('the LB tree and the simulator send the same share of requests to each endpoint', () => {
  let served = 0;
  fc.assert(
    fc.property(mesh, ({ leaves, profile, isAggregate, aggregatePolicy }) => {
      const named = leaves.map((each, nth) => ({ name: `leaf-${nth}`, each, nth }));
      const own = named.flatMap(({ name, each, nth }) => resourcesOf(name, each, nth));
      const aggregate = aggregateCluster(
        'all',
        named.map(({ name }) => name),
      );
      const body = { ...aggregate.body, ...aggregatePolicy };
      const resources = isAggregate ? [{ ...aggregate, body }, ...own] : own;
      const cluster = isAggregate ? 'all' : 'leaf-0';
      const ofTree = new Map<string, number>();
      sharesOfTree(lbTreeOf(profile, cluster, resources), 1, ofTree);
      const ofSimulator = sharesOfSimulator(profile, cluster, resources);
      expect(rounded(ofTree)).toEqual(rounded(ofSimulator));
      if (ofSimulator.size > 0) served += 1;
    }),
    { numRuns: runs(300) },
  );
  expect(served).toBeGreaterThan(runs(300) / 4);
});

it('requests of gRPC-Go 1.64 wait while no endpoint is usable', () => {
  const mesh = [edsCluster('cart'), endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80 UNHEALTHY'] }])];
  expect(simulate('go-1.64', 'cart', mesh)?.view.outcome).toBe('waiting');
  const tree = JSON.stringify(lbTreeOf('go-1.64', 'cart', mesh));
  expect(tree).toContain('no locality has a usable endpoint: requests wait');
});
