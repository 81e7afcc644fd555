import { expect, it } from 'vitest';
import { findFailing } from '@/lib/facts/failing-endpoints';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import { whyNoShares } from '@/lib/lb/simulator/why-no-shares';
import { bootstrapTypeUrl } from '@/lib/model/bootstrap';
import { errorOfCluster, statusOfCluster } from '@/lib/resolve/xds-config';
import { answerPlay } from '@/server/answers/failover/failover-builder';
import { resolveResources, resolverOver } from '../../support/builders/resolve-mesh';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../support/builders/topology-mesh';

const localCluster: MeshResource = {
  ...{ typeUrl: bootstrapTypeUrl, name: 'bootstrap' },
  body: { clusterManager: { localClusterName: 'local' } },
};

const own = (commonLbConfig: object) => ({ commonLbConfig });
const zoneAware = (minClusterSize?: string) => own({ zoneAwareLbConfig: { minClusterSize } });
const inPolicy = (minClusterSize: string) => ({
  loadBalancingPolicy: {
    policies: [
      {
        typedExtensionConfig: {
          name: 'rr',
          typedConfig: {
            '@type': 'type.googleapis.com/envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin',
            localityLbConfig: { zoneAwareLbConfig: { minClusterSize } },
          },
        },
      },
    ],
  },
});
const noLocalCluster: MeshResource = { ...localCluster, body: { clusterManager: {} } };
const [byName, byField] = ['local_cluster_name: ', 'zone_aware_lb_config: '];

it.each([
  ['six hosts in two zones', [3, 3], {}, localCluster, byName],
  ['five hosts in two zones', [3, 2], {}, localCluster, undefined],
  ['five hosts in two zones, of a minimum of 5', [3, 2], zoneAware('5'), localCluster, byName],
  ['six hosts in two zones, of a minimum of 7', [3, 3], zoneAware('7'), localCluster, undefined],
  ['two hosts in two zones, of a minimum of 0', [1, 1], zoneAware('0'), localCluster, byName],
  ['five hosts in two zones, of a minimum of 5 of the policy', [3, 2], inPolicy('5'), localCluster, byName],
  ['six hosts in two zones, of a minimum of 7 of the policy', [3, 3], inPolicy('7'), localCluster, undefined],
  ['six hosts in one zone', [6], {}, localCluster, undefined],
  ['six hosts in one zone beside an empty one', [6, 0], {}, localCluster, undefined],
  ['six hosts by weight', [3, 3], own({ localityWeightedLbConfig: {} }), localCluster, undefined],
  ['six hosts without a local cluster', [3, 3], zoneAware(), noLocalCluster, undefined],
  ['six hosts and an unknown bootstrap', [3, 3], {}, undefined, undefined],
  ['six hosts, zone awareness and an unknown bootstrap', [3, 3], zoneAware(), undefined, byField],
  ['five hosts, zone awareness and an unknown bootstrap', [3, 2], zoneAware(), undefined, undefined],
] as const)('zone aware routing with %s', (_, hostsOf, more, bootstrap, setting) => {
  const cluster = edsCluster('a');
  const resources = [
    apiListener('shop', { rds: 'r' }),
    routeConfig('r', { '': 'a' }),
    { ...cluster, body: { ...cluster.body, ...more } },
    endpoints(
      'a',
      hostsOf.map((hosts, zone) => ({
        ...{ zone: `${zone}` },
        endpoints: Array.from({ length: hosts }, (_each, host) => `10.0.${zone}.${host}:1`),
      })),
    ),
    ...(bootstrap === undefined ? [] : [bootstrap]),
  ];
  const resolver = resolverOver(resources, { profile: 'envoy' });
  const entry = resolver.findCluster('a');
  expect(entry && statusOfCluster(entry)).toBe(setting === undefined ? 'ok' : 'unknown');
  const query = { cluster: 'a', changes: [], seconds: 0, find: '' };
  const { moments, notes } = answerPlay(resolver, 'core-1.85', query, { isEnvoy: true });
  expect(moments.length === 0, 'no percentages').toBe(setting !== undefined);
  if (setting !== undefined) expect(notes).toEqual([expect.stringContaining(setting)]);

  // The bootstrap of a gRPC client is not known. Its shares by Envoy's rules are a comparison.
  const ofGrpc = resolverOver(resources.slice(0, 4), { profile: 'go-1.85' });
  const found = ofGrpc.findCluster('a');
  expect(found && statusOfCluster(found)).toBe('ok');
  const traffic = trafficOfCluster('a', 'go-1.85', (name) => ofGrpc.findCluster(name));
  const isZoneAware = setting === byField || (setting === byName && Object.keys(more).length > 0);
  if (typeof traffic === 'string') throw new Error(traffic);
  expect(whyNoShares(traffic.cluster, 'envoy').includes(byField)).toBe(
    isZoneAware || bootstrap === noLocalCluster,
  );
});

it('hosts of the second priority are not routed by zones', () => {
  const resolver = resolverOver(
    [
      apiListener('shop', { rds: 'r' }),
      routeConfig('r', { '': 'a' }),
      edsCluster('a'),
      endpoints('a', [
        { zone: 'a', endpoints: ['10.0.0.1:1'] },
        ...['b', 'c'].map((zone, at) => ({
          ...{ zone, priority: 1 },
          endpoints: [1, 2, 3].map((host) => `10.0.${at + 1}.${host}:1`),
        })),
      ]),
      localCluster,
    ],
    { profile: 'envoy' },
  );
  const entry = resolver.findCluster('a');
  expect(entry && statusOfCluster(entry)).toBe('ok');
});

const local: MeshResource[] = [
  edsCluster('local'),
  endpoints('local', [
    { zone: 'a', endpoints: ['10.1.0.1:1'] },
    { zone: 'b', endpoints: ['10.1.0.2:1'] },
  ]),
];
const inZoneA = {
  ...{ clusterManager: { localClusterName: 'local' } },
  node: { id: 'envoy', locality: { region: 'eu', zone: 'a' } },
};

/** The shares of the zones a and b of a cluster with these healthy endpoints in each, or the reason why they are not known. */
function sharesOfZones(bootstrap: object, others: readonly MeshResource[]) {
  const own = edsCluster('a');
  const body = { ...own.body, commonLbConfig: { zoneAwareLbConfig: { minClusterSize: '1' } } };
  const resolver = resolverOver(
    [
      apiListener('shop', { rds: 'r' }),
      routeConfig('r', { '': 'a' }),
      { ...own, body },
      endpoints('a', [
        { zone: 'a', endpoints: ['10.0.0.1:1'] },
        { zone: 'b', endpoints: ['10.0.0.2:1', '10.0.0.3:1', '10.0.0.4:1'] },
      ]),
      { ...localCluster, body: bootstrap },
      ...others,
    ],
    { profile: 'envoy' },
  );
  const shares = () => {
    const query = { cluster: 'a', changes: [], seconds: 0, find: '' };
    const { moments, notes } = answerPlay(resolver, 'core-1.85', query, { isEnvoy: true });
    const [priority] = moments[0]?.envoy.localities ?? [];
    return priority?.map((share) => Math.round(share * 1000) / 10) ?? notes.join();
  };
  return { shares, resolver };
}

it('the zone of an Envoy decides by the hosts of its local cluster, as far as both are known', () => {
  expect(sharesOfZones(inZoneA, local).shares()).toEqual([50, 50]);
  expect(sharesOfZones(inZoneA, []).shares()).toMatch(/cluster "local" is not reported/);
  expect(sharesOfZones(inZoneA, local.slice(0, 1)).shares()).toMatch(/its endpoints are not reported/);
  const { node, ...withoutNode } = inZoneA;
  expect(sharesOfZones(withoutNode, local).shares()).toMatch(/the bootstrap has no node.locality/);
  expect(sharesOfZones({ node }, local).shares()).toEqual([25, 75]);
});

it('the hosts of the local cluster that change concern the shares of each cluster', () => {
  const { shares, resolver } = sharesOfZones(inZoneA, local);
  expect(shares()).toEqual([50, 50]);
  const more = endpoints('local', [
    { zone: 'a', endpoints: ['10.1.0.1:1'] },
    { zone: 'b', endpoints: ['10.1.0.2:1', '10.1.0.3:1', '10.1.0.4:1'] },
  ]);
  resolver.apply({ changed: resolveResources([more]), removed: [] });
  expect(shares()).toEqual([100, 0]);
});

it('requests fail if the zone of an Envoy sends all of them to endpoints that fail', () => {
  const { resolver } = sharesOfZones(inZoneA, local);
  const stateOf = (target: string) => {
    const connection = {
      id: target,
      kind: 'subchannel',
      target,
      channels: [],
      since: 0,
      cluster: 'a',
    } as const;
    resolver.setFailing(findFailing([{ ...connection, state: 'CONNECT_FAILURE' }]));
    const entry = resolver.findCluster('a');
    return entry && `${statusOfCluster(entry)} ${errorOfCluster(entry)}`.trim();
  };
  expect(stateOf('10.0.0.1:1')).toBe('ok');
  const zones = [
    { zone: 'a', endpoints: ['10.1.0.1:1'] },
    { zone: 'b', endpoints: ['10.1.0.2:1', '10.1.0.3:1', '10.1.0.4:1'] },
  ];
  resolver.apply({ changed: resolveResources([endpoints('local', zones)]), removed: [] });
  expect(stateOf('10.0.0.1:1')).toMatch(
    /^error zone aware routing sends every request to locality .*a, where each endpoint fails: /,
  );
  expect(stateOf('10.0.0.2:1')).toBe('ok');
});

it('all inputs of zone aware routing that are not known are named', () => {
  const { node: _, ...withoutNode } = inZoneA;
  const text = String(sharesOfZones(withoutNode, local.slice(0, 1)).shares());
  expect(text).toMatch(/the bootstrap has no node.locality, and its endpoints are not reported/);
});
