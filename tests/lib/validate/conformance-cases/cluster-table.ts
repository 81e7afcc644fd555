import { any, router, typedStruct } from '../cases/any';
import { aggregateFamily, clusterFamily, dnsFamily, ringFamily } from '../cases/cluster-cases';
import { type ConformanceTable, foreignHost, garbage } from './conformance-case';

const lb = (name: string) => `envoy.extensions.load_balancing_policies.${name}`;
const list = (...configs: unknown[]) => ({
  policies: configs.map((typedConfig) => ({
    typedExtensionConfig: { name: 'x', ...(typedConfig === undefined ? {} : { typedConfig }) },
  })),
});
const roundRobin = any(lb('round_robin.v3.RoundRobin'));
const tooLong = { seconds: '315576000001' };
const edges = ['0', '1', '1024', '8388607', '8388608', '8388609', '4294967296', '18446744073709551615'];
const aggregate = 'envoy.extensions.clusters.aggregate.v3.ClusterConfig';

export const clusterTable: ConformanceTable = {
  family: clusterFamily,
  rows: [
    ['type of an unknown number', 'type', 9],
    ['both a name and a service name', 'edsClusterConfig.serviceName', 'x'],
    ['EDS with an empty config source', 'edsClusterConfig.edsConfig', {}],
    ['EDS from an API config source', 'edsClusterConfig.edsConfig', { apiConfigSource: { apiType: 'GRPC' } }],
    ['EDS from ads in v2', 'edsClusterConfig.edsConfig', { ads: {}, resourceApiVersion: 'V2' }],
    ['EDS beside a load assignment', 'loadAssignment', { clusterName: 'x' }],
    ['xdstp service name', 'edsClusterConfig.serviceName', 'xdstp://a/b/c'],
    ['lb policy of an unknown number', 'lbPolicy', 99],
    ['lb policy CLUSTER_PROVIDED', 'lbPolicy', 'CLUSTER_PROVIDED'],
    ['lb policy LOAD_BALANCING_POLICY_CONFIG alone', 'lbPolicy', 'LOAD_BALANCING_POLICY_CONFIG'],
    [
      'lb policy LOAD_BALANCING_POLICY_CONFIG with a list',
      'lbPolicy',
      'LOAD_BALANCING_POLICY_CONFIG',
      'loadBalancingPolicy',
      list(roundRobin),
    ],
    ['lb policy RANDOM with a list', 'lbPolicy', 'RANDOM', 'loadBalancingPolicy', list(roundRobin)],
    ['LEAST_REQUEST of 1', 'lbPolicy', 'LEAST_REQUEST', 'leastRequestLbConfig', { choiceCount: 1 }],
    ['list entry without config', 'loadBalancingPolicy', list(undefined)],
    ['list entry without extension', 'loadBalancingPolicy', { policies: [{}] }],
    ['list: none, then round robin', 'loadBalancingPolicy', list(undefined, roundRobin)],
    [
      'list: round robin that is garbage',
      'loadBalancingPolicy',
      list(garbage(lb('round_robin.v3.RoundRobin'))),
    ],
    ['list: ring hash that is garbage', 'loadBalancingPolicy', list(garbage(lb('ring_hash.v3.RingHash')))],
    ['list: garbage of an unknown type', 'loadBalancingPolicy', list(garbage('acme.Lb'), roundRobin)],
    [
      'list: round robin of another host',
      'loadBalancingPolicy',
      list(foreignHost(lb('round_robin.v3.RoundRobin'))),
    ],
    [
      'list: locality in locality',
      'loadBalancingPolicy',
      list(
        any(lb('wrr_locality.v3.WrrLocality'), {
          endpointPickingPolicy: list(
            any(lb('wrr_locality.v3.WrrLocality'), { endpointPickingPolicy: list(roundRobin) }),
          ),
        }),
      ),
    ],
    [
      'list: locality of an empty list',
      'loadBalancingPolicy',
      list(any(lb('wrr_locality.v3.WrrLocality'), { endpointPickingPolicy: {} })),
    ],
    [
      'list: ring hash of an unknown function',
      'loadBalancingPolicy',
      list(any(lb('ring_hash.v3.RingHash'), { hashFunction: 9 })),
    ],
    [
      'list: ring hash MURMUR',
      'loadBalancingPolicy',
      list(any(lb('ring_hash.v3.RingHash'), { hashFunction: 'MURMUR_HASH_2' })),
    ],
    [
      'list: TypedStruct without type',
      'loadBalancingPolicy',
      list(any('xds.type.v3.TypedStruct', { value: {} }), roundRobin),
    ],
    [
      'list: pick first, then round robin',
      'loadBalancingPolicy',
      list(any(lb('pick_first.v3.PickFirst')), roundRobin),
    ],
    ['lrs of nothing', 'lrsServer', {}],
    ['lrs from a path', 'lrsServer', { path: '/x' }],
    ['breakers of nothing', 'circuitBreakers', {}],
    ['breakers of an unknown priority', 'circuitBreakers', { thresholds: [{ priority: 9, maxRequests: 1 }] }],
    ['breakers of 0', 'circuitBreakers', { thresholds: [{ maxRequests: 0 }] }],
    ['outlier of nothing', 'outlierDetection', {}],
    ...['interval', 'baseEjectionTime', 'maxEjectionTime'].flatMap((name) => [
      [`outlier ${name} at the most`, 'outlierDetection', { [name]: '315576000000s' }] as const,
      [`outlier ${name} too long`, 'outlierDetection', { [name]: tooLong }] as const,
      [`outlier ${name} with too many nanos`, 'outlierDetection', { [name]: { nanos: 1000000000 } }] as const,
      [
        `outlier ${name} with negative nanos`,
        'outlierDetection',
        { [name]: { seconds: '1', nanos: -1 } },
      ] as const,
    ]),
    ...[
      'maxEjectionPercent',
      'enforcingSuccessRate',
      'failurePercentageThreshold',
      'enforcingFailurePercentage',
    ].flatMap((name) => [
      [`outlier ${name} 100`, 'outlierDetection', { [name]: 100 }] as const,
      [`outlier ${name} 4294967295`, 'outlierDetection', { [name]: 4294967295 }] as const,
    ]),
    [
      'outlier threshold 101 with enforcement',
      'outlierDetection',
      { failurePercentageThreshold: 101, enforcingFailurePercentage: 50 },
    ],
    [
      'outlier threshold 101 with enforcement of 101',
      'outlierDetection',
      { failurePercentageThreshold: 101, enforcingFailurePercentage: 101 },
    ],
    [
      'outlier success rate 101 that is not enforced',
      'outlierDetection',
      { enforcingSuccessRate: 0, successRateStdevFactor: 4294967295 },
    ],
    ['a local gateway failure of 101', 'outlierDetection', { enforcingLocalOriginSuccessRate: 101 }],
    ['upstream config of nothing', 'upstreamConfig', {}],
    [
      'upstream config that is garbage',
      'upstreamConfig',
      { name: 'x', typedConfig: garbage('envoy.extensions.upstreams.http.v3.HttpProtocolOptions') },
    ],
    [
      'typed metadata that is garbage',
      'metadata',
      { typedFilterMetadata: { x: garbage('envoy.config.core.v3.Address') } },
    ],
    ['dns lookup family of an unknown number', 'dnsLookupFamily', 99],
    ['lb subset', 'lbSubsetConfig', { fallbackPolicy: 'ANY_ENDPOINT' }],
    ['a health check', 'healthChecks', [{ timeout: '1s', interval: '1s' }]],
    ['two violations', 'lrsServer', {}, 'edsClusterConfig', undefined],
    ['a name of odd letters', 'name', 'ä/?#%\u0000'],
    [
      'xdstp name with service name',
      'name',
      'xdstp://a/envoy.config.cluster.v3.Cluster/x',
      'edsClusterConfig.serviceName',
      's',
    ],
    ['a name that is xdstp: alone', 'name', 'xdstp:', 'edsClusterConfig.serviceName', 's'],
  ],
};

export const dnsTable: ConformanceTable = {
  family: dnsFamily,
  rows: [
    ['no localities', 'loadAssignment.endpoints', []],
    ['endpoint of nothing', 'loadAssignment.endpoints.0.lbEndpoints.0.endpoint', {}],
    ['endpoint by name', 'loadAssignment.endpoints.0.lbEndpoints.0', { endpointName: 'x' }],
    ['address of nothing', 'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address', {}],
    ['socket of nothing', 'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress', {}],
    [
      'named port',
      'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress',
      { address: 'x', namedPort: 'http' },
    ],
    [
      'port too large',
      'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress.portValue',
      65536,
    ],
    [
      'an IPv6 address',
      'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress.address',
      '::1',
    ],
    ['endpoint weight 0', 'loadAssignment.endpoints.0.lbEndpoints.0.loadBalancingWeight', 0],
    ['unhealthy', 'loadAssignment.endpoints.0.lbEndpoints.0.healthStatus', 'UNHEALTHY'],
    [
      'a locality and a priority',
      'loadAssignment.endpoints.0.locality',
      { region: 'r' },
      'loadAssignment.endpoints.0.priority',
      3,
    ],
    ['EDS config beside it', 'edsClusterConfig', {}],
    ['RING_HASH', 'lbPolicy', 'RING_HASH'],
    ['no name in the assignment', 'loadAssignment.clusterName', undefined],
  ],
};

export const aggregateTable: ConformanceTable = {
  family: aggregateFamily,
  rows: [
    ['empty type', 'clusterType', {}],
    ['garbage', 'clusterType.typedConfig', garbage(aggregate)],
    ['garbage of another type', 'clusterType.typedConfig', garbage('acme.Cluster')],
    ['in a TypedStruct', 'clusterType.typedConfig', typedStruct(aggregate, { clusters: ['b'] })],
    ['of another host', 'clusterType.typedConfig', foreignHost(aggregate)],
    ['a duplicate', 'clusterType.typedConfig', any(aggregate, { clusters: ['b', 'b'] })],
    ['an empty name in it', 'clusterType.typedConfig', any(aggregate, { clusters: [''] })],
    ['no name', 'clusterType.name', undefined],
    ['the router', 'clusterType.typedConfig', router],
    ['RING_HASH', 'lbPolicy', 'RING_HASH'],
    ['RANDOM', 'lbPolicy', 'RANDOM'],
    ['CLUSTER_PROVIDED', 'lbPolicy', 'CLUSTER_PROVIDED'],
    ['lrs not self', 'lrsServer', { ads: {} }],
  ],
};

export const ringTable: ConformanceTable = {
  family: ringFamily,
  rows: [
    ...edges.map((size) => [`minimum ${size}`, 'ringHashLbConfig', { minimumRingSize: size }] as const),
    ...edges.map((size) => [`maximum ${size}`, 'ringHashLbConfig', { maximumRingSize: size }] as const),
    ['min = max', 'ringHashLbConfig', { minimumRingSize: '10', maximumRingSize: '10' }],
    ['both 0', 'ringHashLbConfig', { minimumRingSize: '0', maximumRingSize: '0' }],
    ['both too large', 'ringHashLbConfig', { minimumRingSize: '8388610', maximumRingSize: '8388609' }],
    ['an unknown function', 'ringHashLbConfig', { hashFunction: 9 }],
    ['of nothing', 'ringHashLbConfig', {}],
    [
      'MURMUR for another policy',
      'lbPolicy',
      'ROUND_ROBIN',
      'ringHashLbConfig',
      { hashFunction: 'MURMUR_HASH_2' },
    ],
    [
      'too large for another policy',
      'lbPolicy',
      'ROUND_ROBIN',
      'ringHashLbConfig',
      { minimumRingSize: '8388609' },
    ],
    [
      'too large behind a list',
      'ringHashLbConfig',
      { minimumRingSize: '8388609' },
      'loadBalancingPolicy',
      list(roundRobin),
    ],
  ],
};
