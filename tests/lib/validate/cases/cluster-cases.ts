import { CDS } from '@/lib/xds/resource-type';
import { any, router, typedStruct } from './any';
import { type Family, mutationsOf, rowsAt } from './mutation';

export const lb = (name: string) => `envoy.extensions.load_balancing_policies.${name}`;
export const list = (...configs: unknown[]) => ({
  policies: configs.map((typedConfig) => ({
    typedExtensionConfig: { name: 'x', ...(typedConfig === undefined ? {} : { typedConfig }) },
  })),
});
export const roundRobin = any(lb('round_robin.v3.RoundRobin'));
export const pickFirst = any(lb('pick_first.v3.PickFirst'));
export const locality = (endpointPickingPolicy?: object) =>
  any(lb('wrr_locality.v3.WrrLocality'), { ...(endpointPickingPolicy && { endpointPickingPolicy }) });
export const ring = (fields: object) =>
  any(lb('ring_hash.v3.RingHash'), { hashFunction: 'XX_HASH', ...fields });
const leastRequest = (fields: object) => any(lb('least_request.v3.LeastRequest'), fields);
const weighted = (fields: object) =>
  any(lb('client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin'), fields);

function nested(depth: number): object {
  let policy = list(roundRobin);
  for (let level = 1; level < depth; level += 1) policy = list(locality(policy));
  return policy;
}

export const endpoint = 'loadAssignment.endpoints.0.lbEndpoints.0';
export const socket = `${endpoint}.endpoint.address.socketAddress`;
const socketAddress = { address: 'x.example', portValue: 80 };
const aggregate = (typedConfig: object, name = 'envoy.clusters.aggregate') => ({ name, typedConfig });
export const aggregateType = 'envoy.extensions.clusters.aggregate.v3.ClusterConfig';
export const aggregateOf = (...clusters: string[]) => any(aggregateType, { clusters });
const redis = any('envoy.extensions.clusters.redis.v3.RedisClusterConfig');
export const typedMetadata = (x: object) => ({ typedFilterMetadata: { x } });
const audience = (fields: object) => any('envoy.extensions.filters.http.gcp_authn.v3.Audience', fields);
const addressByName = any('envoy.config.core.v3.Address', { socketAddress });

export const clusterFamily: Family = {
  typeUrl: CDS.typeUrl,
  base: { name: 'cl', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } },
  mutations: mutationsOf([
    ['no name', 'name', undefined, 'ge', '2.1'],
    ...rowsAt('type', [
      ['no type', undefined, 'cgjne', 'C1'],
      ['STATIC', 'STATIC', 'cgjne', 'C1'],
      ['STRICT_DNS', 'STRICT_DNS', 'cgjne', 'C1'],
      ['ORIGINAL_DST', 'ORIGINAL_DST', 'cgjne', 'C1'],
    ]),
    ['EDS without config', 'edsClusterConfig', undefined, 'cgjne', 'C2'],
    ['EDS without source', 'edsClusterConfig', {}, 'cgjne', 'C2'],
    ['EDS from a path', 'edsClusterConfig.edsConfig', { path: '/x' }, 'cgjn', 'C2'],
    ['EDS from self', 'edsClusterConfig.edsConfig', { self: {} }, 'e'],
    ['xdstp name without service name', 'name', 'xdstp://a/envoy.config.cluster.v3.Cluster/x', 'gjn', 'C2'],
    ['LOGICAL_DNS without assignment', 'type', 'LOGICAL_DNS', 'cgjne', 'C3'],
    ...rowsAt('lbPolicy', [
      ['LB RANDOM', 'RANDOM', 'cgjn', 'C6'],
      ['LB LEAST_REQUEST', 'LEAST_REQUEST', 'cgn', 'C6'],
      ['LB MAGLEV', 'MAGLEV', 'cgjn', 'C6'],
      ['LB RING_HASH', 'RING_HASH', ''],
    ]),
    ...rowsAt('loadBalancingPolicy', [
      ['LB RANDOM behind a policy', list(roundRobin), ''],
      ['policies of nothing', {}, 'gjne', 'C5'],
      ['unknown policy', list(router), 'gjne', 'C5'],
      ['unknown policy, then a known one', list(router, roundRobin), ''],
      ['custom policy', list(typedStruct('acme.Lb')), 'gjne', 'C5'],
      ['custom policy of a known name', list(typedStruct('round_robin')), 'e'],
      ['custom policy, then a known one', list(typedStruct('acme.Lb', {}, 'udpa.type.v1'), roundRobin), ''],
      ['locality policy', list(locality(list(roundRobin))), 'e'],
      ['locality policy of nothing', list(locality()), 'gjne', 'C5'],
      ['locality policy of unknown ones', list(locality(list(router)), roundRobin), 'gjne', 'C5'],
      ['policies 16 deep', nested(16), 'e'],
      ['policies 17 deep', nested(17), 'ge', 'C5'],
      ['policies 18 deep', nested(18), 'gjne', 'C5'],
      ['pick first', list(pickFirst), 'ne', 'C5'],
      ['least request policy', list(leastRequest({})), 'gn', 'C5'],
      ['least request policy of 1', list(leastRequest({ choiceCount: 1 })), 'gjn', 'C16'],
      ['ring hash policy', list(ring({})), ''],
      ['ring hash policy without function', list(ring({ hashFunction: undefined })), 'gjn', 'C16'],
      ['ring hash policy with a minimum', list(ring({ minimumRingSize: '10' })), 'n', 'C16'],
      [
        'ring hash policy with min > max',
        list(ring({ minimumRingSize: '10', maximumRingSize: '5' })),
        'gjne',
        'C16',
      ],
      ['ring hash policy too large', list(ring({ maximumRingSize: '8388609' })), 'gn', 'C16'],
      ['weighted policy', list(weighted({})), 'n', 'C5'],
      ['weighted policy with a penalty < 0', list(weighted({ errorUtilizationPenalty: -1 })), 'gn', 'C16'],
      ['subsetting of nothing', list(typedStruct('acme.Lb'), roundRobin), ''],
    ]),
    ['lrs not self', 'lrsServer', { ads: {} }, 'cgjn', 'C9'],
    ['lrs self', 'lrsServer', { self: {} }, ''],
    ['per-host limit of 0', 'circuitBreakers', { perHostThresholds: [{ maxConnections: 0 }] }, '', 'C11'],
    [
      'two default thresholds',
      'circuitBreakers',
      { thresholds: [{ maxRequests: 1 }, { maxRequests: 2 }] },
      '',
      'C11',
    ],
    ...rowsAt('outlierDetection', [
      ['outlier detection', { interval: '10s', maxEjectionPercent: 100 }, ''],
      ['outlier interval negative', { interval: '-1s' }, 'cgjne', 'C12'],
      ['outlier base time negative', { baseEjectionTime: '-1s' }, 'cgjne', 'C12'],
      ['outlier max time negative', { maxEjectionTime: '-0.5s' }, 'cgjne', 'C12'],
      ['outlier interval 0', { interval: '0s' }, 'e', 'PGV'],
      ['ejections of 101 %', { maxEjectionPercent: 101 }, 'cgjne', 'C12'],
      ['success rate of 101 %', { enforcingSuccessRate: 101 }, 'cgjne', 'C12'],
      ['failures of 101 %', { enforcingFailurePercentage: 101 }, 'cgjne', 'C12'],
      ['threshold of 101 %', { failurePercentageThreshold: 101 }, 'gjne', 'C12'],
    ]),
    ['upstream config of another type', 'upstreamConfig', { name: 'x', typedConfig: router }, '', 'C13'],
    [
      'override statuses',
      'commonLbConfig',
      { overrideHostStatus: { statuses: ['HEALTHY', 'DEGRADED'] } },
      '',
      'C14',
    ],
    ...rowsAt('metadata', [
      ['audience without url', typedMetadata(audience({})), 'j', 'C15'],
      ['audience', typedMetadata(audience({ url: 'x' })), ''],
      ['proxy address that is a name', typedMetadata(addressByName), 'j', 'C15'],
    ]),
    ['connect timeout 0', 'connectTimeout', '0s', 'e', 'PGV'],
    ['alt stat name', 'altStatName', 'x', ''],
  ]),
};

export const dnsFamily: Family = {
  typeUrl: CDS.typeUrl,
  base: {
    name: 'a',
    type: 'LOGICAL_DNS',
    loadAssignment: {
      clusterName: 'a',
      endpoints: [{ lbEndpoints: [{ endpoint: { address: { socketAddress } } }] }],
    },
  },
  mutations: mutationsOf([
    ...rowsAt('loadAssignment.endpoints', [
      ['two localities', [{}, {}], 'cgjne', 'C3'],
      ['no endpoints', [{}], 'cgjne', 'C3'],
      ['two endpoints', [{ lbEndpoints: [{}, {}] }], 'cgjne', 'C3'],
      ['endpoint without address', [{ lbEndpoints: [{}] }], 'cgjn', 'C3'],
    ]),
    ['pipe', `${endpoint}.endpoint.address`, { pipe: { path: '/x' } }, 'cgjn', 'C3'],
    ['resolver name', `${socket}.resolverName`, 'x', 'cgje', 'C3'],
    ['no host', `${socket}.address`, '', 'cgne', 'C3'],
    ['no port', `${socket}.portValue`, undefined, 'cgjne', 'C3'],
    ['port 0', `${socket}.portValue`, 0, 'g', 'C3'],
    ['an IP address', `${socket}.address`, '10.0.0.1', ''],
  ]),
};

export const aggregateFamily: Family = {
  typeUrl: CDS.typeUrl,
  base: { name: 'a', clusterType: aggregate(aggregateOf('b')) },
  // Envoy requires CLUSTER_PROVIDED, which every gRPC client rejects.
  nackedBy: 'e',
  mutations: mutationsOf([
    ['another type', 'clusterType', aggregate(redis, 'envoy.clusters.redis'), 'cgjn', 'C4'],
    ['no config', 'clusterType', { name: 'envoy.clusters.aggregate' }, 'cgjne', 'C4'],
    ['another name', 'clusterType.name', 'x', 'gje', 'C4'],
    ...rowsAt('clusterType.typedConfig', [
      ['of nothing', aggregateOf(), 'gjne', 'C4'],
      ['of two', aggregateOf('b', 'c'), 'e'],
      ['of itself', aggregateOf('a'), 'e'],
    ]),
  ]),
};

export const ringFamily: Family = {
  typeUrl: CDS.typeUrl,
  base: { name: 'cl', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } }, lbPolicy: 'RING_HASH' },
  mutations: mutationsOf([
    ...rowsAt('ringHashLbConfig', [
      ['MURMUR', { hashFunction: 'MURMUR_HASH_2' }, 'cgjn', 'C7'],
      ['min too large', { minimumRingSize: '8388609' }, 'cne', 'C7'],
      ['max too large', { maximumRingSize: '8388609' }, 'cne', 'C7'],
      ['min of 8388608', { minimumRingSize: '8388608' }, ''],
      ['min 0', { minimumRingSize: '0' }, 'cj', 'C7'],
      ['max 0', { maximumRingSize: '0' }, 'cje', 'C7'],
      ['min > max', { minimumRingSize: '20', maximumRingSize: '10' }, 'cje', 'C7'],
      ['max below the default of min', { maximumRingSize: '100' }, 'je', 'C7'],
    ]),
    ['behind a policy', 'loadBalancingPolicy', list(roundRobin), ''],
    ['choice of 1, of another policy', 'leastRequestLbConfig', { choiceCount: 2 }, ''],
  ]),
};
