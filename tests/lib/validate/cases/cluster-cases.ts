import { CDS } from '@/lib/xds/resource-type';
import { any, router, typedStruct } from './any';
import { type Family, mutationsOf } from './mutation';

const lb = (name: string) => `envoy.extensions.load_balancing_policies.${name}`;
const list = (...configs: object[]) => ({
  policies: configs.map((typedConfig) => ({ typedExtensionConfig: { name: 'x', typedConfig } })),
});
const roundRobin = any(lb('round_robin.v3.RoundRobin'));
const locality = (endpointPickingPolicy: object | undefined) =>
  any(
    lb('wrr_locality.v3.WrrLocality'),
    endpointPickingPolicy === undefined ? {} : { endpointPickingPolicy },
  );
const ring = (fields: object) => any(lb('ring_hash.v3.RingHash'), { hashFunction: 'XX_HASH', ...fields });
const weighted = (fields: object) =>
  any(lb('client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin'), fields);

function nested(depth: number): object {
  let policy = list(roundRobin);
  for (let level = 1; level < depth; level += 1) policy = list(locality(policy));
  return policy;
}

const dns = (endpoints: object) => ({
  name: 'a',
  type: 'LOGICAL_DNS',
  loadAssignment: { clusterName: 'a', endpoints },
});
const dnsAt = (socketAddress: object) =>
  dns([{ lbEndpoints: [{ endpoint: { address: { socketAddress } } }] }]);
const aggregate = (typedConfig: unknown, name = 'envoy.clusters.aggregate') => ({ name, typedConfig });
const aggregateOf = (...clusters: string[]) =>
  any('envoy.extensions.clusters.aggregate.v3.ClusterConfig', { clusters });

export const clusterFamily: Family = {
  typeUrl: CDS.typeUrl,
  base: { name: 'cl', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } },
  mutations: mutationsOf([
    ['no name', 'name', undefined, 'ge', '2.1'],
    ['no type', 'type', undefined, 'cgjn', 'C1'],
    ['STATIC', 'type', 'STATIC', 'cgjn', 'C1'],
    ['STRICT_DNS', 'type', 'STRICT_DNS', 'cgjn', 'C1'],
    ['ORIGINAL_DST', 'type', 'ORIGINAL_DST', 'cgjn', 'C1'],
    ['EDS without config', 'edsClusterConfig', undefined, 'cgjne', 'C2'],
    ['EDS without source', 'edsClusterConfig', {}, 'cgjn', 'C2'],
    ['EDS from a path', 'edsClusterConfig.edsConfig', { path: '/x' }, 'cgjn', 'C2'],
    ['EDS from self', 'edsClusterConfig.edsConfig', { self: {} }, ''],
    ['xdstp name without service name', 'name', 'xdstp://a/envoy.config.cluster.v3.Cluster/x', 'gjn', 'C2'],
    ['LOGICAL_DNS without assignment', 'type', 'LOGICAL_DNS', 'cgjne', 'C3'],
    ['LB RANDOM', 'lbPolicy', 'RANDOM', 'cgjn', 'C6'],
    ['LB LEAST_REQUEST', 'lbPolicy', 'LEAST_REQUEST', 'cgn', 'C6'],
    ['LB MAGLEV', 'lbPolicy', 'MAGLEV', 'cgjn', 'C6'],
    ['LB RING_HASH', 'lbPolicy', 'RING_HASH', ''],
    ['LB RANDOM behind a policy', 'loadBalancingPolicy', list(roundRobin), ''],
    ['policies of nothing', 'loadBalancingPolicy', {}, 'gjne', 'C5'],
    ['unknown policy', 'loadBalancingPolicy', list(router), 'gjn', 'C5'],
    ['unknown policy, then a known one', 'loadBalancingPolicy', list(router, roundRobin), ''],
    ['custom policy', 'loadBalancingPolicy', list(typedStruct('acme.Lb')), 'gjne', 'C5'],
    ['custom policy of a known name', 'loadBalancingPolicy', list(typedStruct('round_robin')), 'e'],
    [
      'custom policy, then a known one',
      'loadBalancingPolicy',
      list(typedStruct('acme.Lb', {}, 'udpa.type.v1'), roundRobin),
      '',
    ],
    ['locality policy', 'loadBalancingPolicy', list(locality(list(roundRobin))), ''],
    ['locality policy of nothing', 'loadBalancingPolicy', list(locality(undefined)), 'gjne', 'C5'],
    [
      'locality policy of unknown ones',
      'loadBalancingPolicy',
      list(locality(list(router)), roundRobin),
      'gjn',
      'C5',
    ],
    ['policies 16 deep', 'loadBalancingPolicy', nested(16), ''],
    ['policies 17 deep', 'loadBalancingPolicy', nested(17), 'gj', 'C5'],
    ['policies 18 deep', 'loadBalancingPolicy', nested(18), 'gjn', 'C5'],
    ['pick first', 'loadBalancingPolicy', list(any(lb('pick_first.v3.PickFirst'))), 'n', 'C5'],
    [
      'least request policy',
      'loadBalancingPolicy',
      list(any(lb('least_request.v3.LeastRequest'))),
      'gn',
      'C5',
    ],
    [
      'least request policy of 1',
      'loadBalancingPolicy',
      list(any(lb('least_request.v3.LeastRequest'), { choiceCount: 1 })),
      'gjne',
      'C16',
    ],
    ['ring hash policy', 'loadBalancingPolicy', list(ring({})), ''],
    [
      'ring hash policy without function',
      'loadBalancingPolicy',
      list(ring({ hashFunction: undefined })),
      'gjn',
      'C16',
    ],
    [
      'ring hash policy with a minimum',
      'loadBalancingPolicy',
      list(ring({ minimumRingSize: '10' })),
      'n',
      'C16',
    ],
    [
      'ring hash policy with min > max',
      'loadBalancingPolicy',
      list(ring({ minimumRingSize: '10', maximumRingSize: '5' })),
      'gjne',
      'C16',
    ],
    [
      'ring hash policy too large',
      'loadBalancingPolicy',
      list(ring({ maximumRingSize: '8388609' })),
      'gjne',
      'C16',
    ],
    ['weighted policy', 'loadBalancingPolicy', list(weighted({})), 'n', 'C5'],
    [
      'weighted policy with a penalty < 0',
      'loadBalancingPolicy',
      list(weighted({ errorUtilizationPenalty: -1 })),
      'gjne',
      'C16',
    ],
    ['subsetting of nothing', 'loadBalancingPolicy', list(typedStruct('acme.Lb'), roundRobin), ''],
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
    ['outlier detection', 'outlierDetection', { interval: '10s', maxEjectionPercent: 100 }, ''],
    ['outlier interval negative', 'outlierDetection', { interval: '-1s' }, 'cgjne', 'C12'],
    ['outlier base time negative', 'outlierDetection', { baseEjectionTime: '-1s' }, 'cgjne', 'C12'],
    ['outlier max time negative', 'outlierDetection', { maxEjectionTime: '-0.5s' }, 'cgjne', 'C12'],
    ['outlier interval 0', 'outlierDetection', { interval: '0s' }, 'e', 'PGV'],
    ['ejections of 101 %', 'outlierDetection', { maxEjectionPercent: 101 }, 'cgjne', 'C12'],
    ['success rate of 101 %', 'outlierDetection', { enforcingSuccessRate: 101 }, 'cgjne', 'C12'],
    ['failures of 101 %', 'outlierDetection', { enforcingFailurePercentage: 101 }, 'cgjne', 'C12'],
    ['threshold of 101 %', 'outlierDetection', { failurePercentageThreshold: 101 }, 'gjne', 'C12'],
    ['upstream config of another type', 'upstreamConfig', { name: 'x', typedConfig: router }, '', 'C13'],
    [
      'override statuses',
      'commonLbConfig',
      { overrideHostStatus: { statuses: ['HEALTHY', 'DEGRADED'] } },
      '',
      'C14',
    ],
    [
      'audience without url',
      'metadata',
      { typedFilterMetadata: { x: any('envoy.extensions.filters.http.gcp_authn.v3.Audience') } },
      'je',
      'C15',
    ],
    [
      'audience',
      'metadata',
      {
        typedFilterMetadata: { x: any('envoy.extensions.filters.http.gcp_authn.v3.Audience', { url: 'x' }) },
      },
      '',
    ],
    [
      'proxy address that is a name',
      'metadata',
      {
        typedFilterMetadata: {
          x: any('envoy.config.core.v3.Address', { socketAddress: { address: 'x', portValue: 1 } }),
        },
      },
      'j',
      'C15',
    ],
    ['connect timeout 0', 'connectTimeout', '0s', 'e', 'PGV'],
    ['alt stat name', 'altStatName', 'x', ''],
  ]),
};

/** LOGICAL_DNS, aggregate and RING_HASH clusters: bases of their own. */
export const dnsFamily: Family = {
  typeUrl: CDS.typeUrl,
  base: dnsAt({ address: 'x.example', portValue: 80 }),
  mutations: mutationsOf([
    ['two localities', 'loadAssignment.endpoints', [{}, {}], 'cgjne', 'C3'],
    ['no endpoints', 'loadAssignment.endpoints', [{}], 'cgjne', 'C3'],
    ['two endpoints', 'loadAssignment.endpoints', [{ lbEndpoints: [{}, {}] }], 'cgjne', 'C3'],
    ['endpoint without address', 'loadAssignment.endpoints', [{ lbEndpoints: [{}] }], 'cgjne', 'C3'],
    [
      'pipe',
      'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address',
      { pipe: { path: '/x' } },
      'cgjne',
      'C3',
    ],
    [
      'resolver name',
      'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress.resolverName',
      'x',
      'cgje',
      'C3',
    ],
    [
      'no host',
      'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress.address',
      '',
      'cgjne',
      'C3',
    ],
    [
      'no port',
      'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress.portValue',
      undefined,
      'cgjne',
      'C3',
    ],
    [
      'port 0',
      'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress.portValue',
      0,
      'g',
      'C3',
    ],
    [
      'an IP address',
      'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress.address',
      '10.0.0.1',
      '',
    ],
  ]),
};

export const aggregateFamily: Family = {
  typeUrl: CDS.typeUrl,
  base: { name: 'a', clusterType: aggregate(aggregateOf('b')) },
  mutations: mutationsOf([
    [
      'another type',
      'clusterType',
      aggregate(any('envoy.extensions.clusters.redis.v3.RedisClusterConfig'), 'envoy.clusters.redis'),
      'cgjn',
      'C4',
    ],
    ['no config', 'clusterType', { name: 'envoy.clusters.aggregate' }, 'cgjn', 'C4'],
    ['another name', 'clusterType.name', 'x', 'gj', 'C4'],
    ['of nothing', 'clusterType.typedConfig', aggregateOf(), 'gjne', 'C4'],
    ['of two', 'clusterType.typedConfig', aggregateOf('b', 'c'), ''],
    ['of itself', 'clusterType.typedConfig', aggregateOf('a'), ''],
  ]),
};

export const ringFamily: Family = {
  typeUrl: CDS.typeUrl,
  base: { name: 'cl', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } }, lbPolicy: 'RING_HASH' },
  mutations: mutationsOf([
    ['MURMUR', 'ringHashLbConfig', { hashFunction: 'MURMUR_HASH_2' }, 'cgjn', 'C7'],
    ['min too large', 'ringHashLbConfig', { minimumRingSize: '8388609' }, 'cjne', 'C7'],
    ['max too large', 'ringHashLbConfig', { maximumRingSize: '8388609' }, 'cjne', 'C7'],
    ['min of 8388608', 'ringHashLbConfig', { minimumRingSize: '8388608' }, ''],
    ['min 0', 'ringHashLbConfig', { minimumRingSize: '0' }, 'c', 'C7'],
    ['max 0', 'ringHashLbConfig', { maximumRingSize: '0' }, 'cje', 'C7'],
    ['min > max', 'ringHashLbConfig', { minimumRingSize: '20', maximumRingSize: '10' }, 'cje', 'C7'],
    ['max below the default of min', 'ringHashLbConfig', { maximumRingSize: '100' }, 'je', 'C7'],
    ['behind a policy', 'loadBalancingPolicy', list(roundRobin), ''],
    ['choice of 1, of another policy', 'leastRequestLbConfig', { choiceCount: 2 }, ''],
  ]),
};
