import { any, router, typedStruct } from '../cases/any';
import {
  aggregateFamily,
  aggregateOf,
  aggregateType,
  clusterFamily,
  dnsFamily,
  endpoint,
  lb,
  list,
  locality,
  pickFirst,
  ring,
  ringFamily,
  roundRobin,
  socket,
  typedMetadata,
} from '../cases/cluster-cases';
import { type ConformanceTable, foreignHost, garbage, rowsAt } from './conformance-case';

const percentages = [
  'maxEjectionPercent',
  'enforcingSuccessRate',
  'failurePercentageThreshold',
  'enforcingFailurePercentage',
];
const byConfig = 'LOAD_BALANCING_POLICY_CONFIG';
const edges = ['0', '1', '1024', '8388607', '8388608', '8388609', '4294967296', '18446744073709551615'];

export const clusterTable: ConformanceTable = {
  family: clusterFamily,
  rows: [
    ['type of an unknown number', 'type', 9],
    ['both a name and a service name', 'edsClusterConfig.serviceName', 'x'],
    ...rowsAt('edsClusterConfig.edsConfig', [
      ['EDS with an empty config source', {}],
      ['EDS from an API config source', { apiConfigSource: { apiType: 'GRPC' } }],
      ['EDS from ads in v2', { ads: {}, resourceApiVersion: 'V2' }],
    ]),
    ['EDS beside a load assignment', 'loadAssignment', { clusterName: 'x' }],
    ['xdstp service name', 'edsClusterConfig.serviceName', 'xdstp://a/b/c'],
    ...rowsAt('lbPolicy', [
      ['lb policy of an unknown number', 99],
      ['lb policy CLUSTER_PROVIDED', 'CLUSTER_PROVIDED'],
      ['lb policy LOAD_BALANCING_POLICY_CONFIG alone', byConfig],
    ]),
    [
      'lb policy LOAD_BALANCING_POLICY_CONFIG with a list',
      'lbPolicy',
      byConfig,
      'loadBalancingPolicy',
      list(roundRobin),
    ],
    ['lb policy RANDOM with a list', 'lbPolicy', 'RANDOM', 'loadBalancingPolicy', list(roundRobin)],
    ['LEAST_REQUEST of 1', 'lbPolicy', 'LEAST_REQUEST', 'leastRequestLbConfig', { choiceCount: 1 }],
    ...rowsAt('loadBalancingPolicy', [
      ['list entry without config', list(undefined)],
      ['list entry without extension', { policies: [{}] }],
      ['list: none, then round robin', list(undefined, roundRobin)],
      ['list: round robin that is garbage', list(garbage(lb('round_robin.v3.RoundRobin')))],
      ['list: ring hash that is garbage', list(garbage(lb('ring_hash.v3.RingHash')))],
      ['list: garbage of an unknown type', list(garbage('acme.Lb'), roundRobin)],
      ['list: round robin of another host', list(foreignHost(lb('round_robin.v3.RoundRobin')))],
      ['list: locality in locality', list(locality(list(locality(list(roundRobin)))))],
      ['list: locality of an empty list', list(locality({}))],
      ['list: ring hash of an unknown function', list(ring({ hashFunction: 9 }))],
      ['list: ring hash MURMUR', list(ring({ hashFunction: 'MURMUR_HASH_2' }))],
      ['list: TypedStruct without type', list(any('xds.type.v3.TypedStruct', { value: {} }), roundRobin)],
      ['list: pick first, then round robin', list(pickFirst, roundRobin)],
    ]),
    ['lrs of nothing', 'lrsServer', {}],
    ['lrs from a path', 'lrsServer', { path: '/x' }],
    ...rowsAt('circuitBreakers', [
      ['breakers of nothing', {}],
      ['breakers of an unknown priority', { thresholds: [{ priority: 9, maxRequests: 1 }] }],
      ['breakers of 0', { thresholds: [{ maxRequests: 0 }] }],
    ]),
    ...rowsAt('outlierDetection', [
      ['outlier of nothing', {}],
      ...['interval', 'baseEjectionTime', 'maxEjectionTime'].flatMap((name) => [
        [`outlier ${name} at the most`, { [name]: '315576000000s' }] as const,
        [`outlier ${name} too long`, { [name]: { seconds: '315576000001' } }] as const,
        [`outlier ${name} with too many nanos`, { [name]: { nanos: 1000000000 } }] as const,
        [`outlier ${name} with negative nanos`, { [name]: { seconds: '1', nanos: -1 } }] as const,
      ]),
      ...percentages.flatMap((name) =>
        [100, 4294967295].map((value) => [`outlier ${name} ${value}`, { [name]: value }] as const),
      ),
      [
        'outlier threshold 101 with enforcement',
        { failurePercentageThreshold: 101, enforcingFailurePercentage: 50 },
      ],
      [
        'outlier threshold 101 with enforcement of 101',
        { failurePercentageThreshold: 101, enforcingFailurePercentage: 101 },
      ],
      [
        'outlier success rate 101 that is not enforced',
        { enforcingSuccessRate: 0, successRateStdevFactor: 4294967295 },
      ],
      ['a local gateway failure of 101', { enforcingLocalOriginSuccessRate: 101 }],
    ]),
    ['upstream config of nothing', 'upstreamConfig', {}],
    [
      'upstream config that is garbage',
      'upstreamConfig',
      { name: 'x', typedConfig: garbage('envoy.extensions.upstreams.http.v3.HttpProtocolOptions') },
    ],
    ['typed metadata that is garbage', 'metadata', typedMetadata(garbage('envoy.config.core.v3.Address'))],
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
    ['endpoint of nothing', `${endpoint}.endpoint`, {}],
    ['endpoint by name', endpoint, { endpointName: 'x' }],
    ['address of nothing', `${endpoint}.endpoint.address`, {}],
    ['socket of nothing', socket, {}],
    ['named port', socket, { address: 'x', namedPort: 'http' }],
    ['port too large', `${socket}.portValue`, 65536],
    ['an IPv6 address', `${socket}.address`, '::1'],
    ['endpoint weight 0', `${endpoint}.loadBalancingWeight`, 0],
    ['unhealthy', `${endpoint}.healthStatus`, 'UNHEALTHY'],
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
    ...rowsAt('clusterType.typedConfig', [
      ['garbage', garbage(aggregateType)],
      ['garbage of another type', garbage('acme.Cluster')],
      ['in a TypedStruct', typedStruct(aggregateType, { clusters: ['b'] })],
      ['of another host', foreignHost(aggregateType)],
      ['a duplicate', aggregateOf('b', 'b')],
      ['an empty name in it', aggregateOf('')],
    ]),
    ['no name', 'clusterType.name', undefined],
    ['the router', 'clusterType.typedConfig', router],
    ...rowsAt('lbPolicy', [
      ['RING_HASH', 'RING_HASH'],
      ['RANDOM', 'RANDOM'],
      ['CLUSTER_PROVIDED', 'CLUSTER_PROVIDED'],
    ]),
    ['lrs not self', 'lrsServer', { ads: {} }],
  ],
};

export const ringTable: ConformanceTable = {
  family: ringFamily,
  rows: [
    ...rowsAt('ringHashLbConfig', [
      ...edges.map((size) => [`minimum ${size}`, { minimumRingSize: size }] as const),
      ...edges.map((size) => [`maximum ${size}`, { maximumRingSize: size }] as const),
      ['min = max', { minimumRingSize: '10', maximumRingSize: '10' }],
      ['both 0', { minimumRingSize: '0', maximumRingSize: '0' }],
      ['both too large', { minimumRingSize: '8388610', maximumRingSize: '8388609' }],
      ['an unknown function', { hashFunction: 9 }],
      ['of nothing', {}],
    ]),
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
