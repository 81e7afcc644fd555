import { EDS } from '../../xds/resource-type';
import { type Division, divideByHealth, divideByLoad } from '../divide-traffic';
import type { CaseMesh, InteropCase } from '../interop-case';
import {
  addressOf,
  type CaseLocality,
  cluster,
  listener,
  oneCluster,
  routeConfiguration,
} from './case-resources';

const feature = 'Failover';
const unary = 'UNARY_CALL';
const apart: Division = {
  primary: { priority: 0, weight: 100 },
  secondary: { priority: 1, weight: 100 },
};

/** The groups "a" and "b" as primary and secondary locality of the cluster "a". */
function divided(divide: (mesh: CaseMesh) => Division) {
  return (mesh: CaseMesh): CaseLocality[] => {
    const { primary, secondary } = divide(mesh);
    return [
      { zone: 'a', ...primary, backends: mesh.group('a') },
      { zone: 'b', ...secondary, backends: mesh.group('b') },
    ];
  };
}

const priorities = oneCluster({ localities: divided(() => apart) });

const primaryFailure: InteropCase = {
  name: 'secondary_locality_gets_requests_on_primary_failure',
  title: 'The secondary locality receives RPCs when every backend of the primary stops',
  ...{ feature, grfc: 'A56', origin: 'description' },
  backends: { a: 2, b: 2 },
  resources: priorities,
  steps: [
    { title: 'Only the primary locality receives RPCs', expect: { kind: 'only', backends: ['a1', 'a2'] } },
    {
      title: 'The primary locality stops',
      actions: [{ kind: 'stop-backends', backends: ['a1', 'a2'] }],
      expect: { kind: 'only', backends: ['b1', 'b2'] },
    },
    {
      title: 'The primary locality starts',
      actions: [{ kind: 'start-backends', backends: ['a1', 'a2'] }],
      expect: { kind: 'only', backends: ['a1', 'a2'] },
    },
  ],
};

const partialPrimaryFailure: InteropCase = {
  name: 'secondary_locality_gets_no_requests_on_partial_primary_failure',
  title: 'The secondary locality receives no RPCs while a backend of the primary serves',
  ...{ feature, grfc: 'A56', origin: 'description' },
  backends: { a: 2, b: 2 },
  resources: priorities,
  steps: [
    { title: 'Only the primary locality receives RPCs', expect: { kind: 'only', backends: ['a1', 'a2'] } },
    {
      title: 'One backend of the primary locality stops',
      actions: [{ kind: 'stop-backends', backends: ['a1'] }],
      expect: { kind: 'only', backends: ['a2'] },
    },
    {
      title: 'The other backend continues to receive all RPCs',
      expect: { kind: 'only', backends: ['a2'], rpcs: 300 },
    },
  ],
};

const gentleFailover: InteropCase = {
  name: 'gentle_failover',
  title: 'The secondary locality receives a share of the RPCs while less than half of the primary serves',
  ...{ feature, grfc: 'A56', origin: 'description' },
  backends: { a: 3, b: 2 },
  resources: oneCluster({ localities: divided((mesh) => divideByHealth(mesh.group('a'))) }),
  steps: [
    {
      title: 'Only the primary locality receives RPCs',
      expect: { kind: 'only', backends: ['a1', 'a2', 'a3'] },
    },
    {
      title: 'Two of three serve: the rest of the primary locality',
      actions: [{ kind: 'set-serving', backends: ['a1'], isServing: false }],
      expect: { kind: 'only', backends: ['a2', 'a3'] },
    },
    {
      title: 'One of three serves: it and the secondary locality',
      actions: [{ kind: 'set-serving', backends: ['a2'], isServing: false }],
      expect: { kind: 'only', backends: ['a3', 'b1', 'b2'] },
    },
    {
      title: 'None serves: the secondary locality',
      actions: [{ kind: 'set-serving', backends: ['a3'], isServing: false }],
      expect: { kind: 'only', backends: ['b1', 'b2'] },
    },
    {
      title: 'All serve again: the primary locality',
      actions: [{ kind: 'set-serving', backends: ['a1', 'a2', 'a3'], isServing: true }],
      expect: { kind: 'only', backends: ['a1', 'a2', 'a3'] },
    },
  ],
};

/** Each backend of the primary locality takes this number of requests per second. */
const upToRate = (ratePerBackend: number) =>
  oneCluster({
    localities: divided((mesh) =>
      divideByLoad({ capacity: ratePerBackend * mesh.group('a').length, rate: mesh.rateOf('a') }),
    ),
  });

const loadBasedFailover: InteropCase = {
  name: 'load_based_failover',
  title: 'The secondary locality receives what the primary cannot take, by load reports of the client',
  ...{ feature, grfc: 'A27', origin: 'description' },
  backends: { a: 2, b: 2 },
  resources: upToRate(1_000),
  steps: [
    { title: 'Only the primary locality receives RPCs', expect: { kind: 'only', backends: ['a1', 'a2'] } },
    {
      title: 'A backend takes 20 requests per second: both localities',
      actions: [{ kind: 'serve', resources: upToRate(20) }],
      expect: { kind: 'only', backends: ['a1', 'a2', 'b1', 'b2'], rpcs: 100 },
    },
    {
      title: 'A backend takes 120 requests per second: the primary locality',
      actions: [{ kind: 'serve', resources: upToRate(120) }],
      expect: { kind: 'only', backends: ['a1', 'a2'] },
    },
  ],
};

/** One of five backends fails, is ejected, and returns. */
function outlierSteps(): InteropCase['steps'] {
  return [
    {
      title: 'All five backends receive RPCs',
      expect: { kind: 'only', backends: ['a1', 'a2', 'a3', 'a4', 'a5'] },
    },
    {
      title: 'One backend fails every RPC',
      actions: [
        {
          kind: 'configure',
          types: [unary],
          metadata: [{ type: unary, key: 'rpc-behavior', value: 'hostname=a1 error-code-2' }],
        },
      ],
      expect: { kind: 'only', backends: ['a2', 'a3', 'a4', 'a5'], rpcs: 200 },
    },
    {
      title: 'The backend fails no longer',
      actions: [{ kind: 'configure', types: [unary] }],
      expect: { kind: 'only', backends: ['a1', 'a2', 'a3', 'a4', 'a5'], rpcs: 200 },
    },
  ];
}

/** The default, 30 s and up to 300 s, would delay the return. */
const shortEjection = { baseEjectionTime: '5s', maxEjectionTime: '10s' };

const outlierDetection: InteropCase = {
  name: 'outlier_detection',
  title: 'A backend that fails is ejected with the fields of the test description, and returns',
  ...{ feature: 'Outlier detection', grfc: 'A50', origin: 'description' },
  backends: { a: 5 },
  resources: oneCluster({
    fields: { outlierDetection: { interval: '2s', successRateRequestVolume: 20, ...shortEjection } },
  }),
  steps: outlierSteps(),
};

const explicitOutlierDetection: InteropCase = {
  name: 'explicit_outlier_detection',
  title: 'A backend that fails is ejected if every field is set, and returns',
  ...{ feature: 'Outlier detection', grfc: 'A50', origin: 'later' },
  backends: { a: 5 },
  resources: oneCluster({
    fields: {
      outlierDetection: {
        interval: '2s',
        ...shortEjection,
        maxEjectionPercent: 10,
        successRateRequestVolume: 20,
        enforcingSuccessRate: 100,
        successRateMinimumHosts: 5,
        successRateStdevFactor: 1_900,
        enforcingFailurePercentage: 0,
      },
    },
  }),
  steps: outlierSteps(),
};

const dualstack: InteropCase = {
  name: 'dualstack',
  title: 'An endpoint is used at its second address when the first one does not answer',
  ...{ feature, grfc: 'A61', origin: 'later' },
  backends: { a: 2 },
  dualStack: true,
  client: {
    environment: {
      GRPC_EXPERIMENTAL_XDS_DUALSTACK_ENDPOINTS: 'true',
      GRPC_EXPERIMENTAL_ENABLE_NEW_PICK_FIRST: 'true',
    },
  },
  resources: (mesh) => [
    listener(),
    routeConfiguration([{ to: 'a' }]),
    cluster('a'),
    {
      typeUrl: EDS.typeUrl,
      name: 'a',
      json: {
        clusterName: 'a',
        endpoints: [
          {
            locality: { region: 'lab', zone: 'a' },
            loadBalancingWeight: 100,
            lbEndpoints: mesh.group('a').map(({ port }, index) => {
              const hosts = index === 0 ? ['::1', '127.0.0.1'] : ['127.0.0.1', '::1'];
              const [address, ...additional] = hosts.map((host) => addressOf(host, port));
              const additionalAddresses = additional.map((each) => ({ address: each }));
              return { endpoint: { address, additionalAddresses } };
            }),
          },
        ],
      },
    },
  ],
  steps: [
    { title: 'Both backends receive RPCs', expect: { kind: 'only', backends: ['a1', 'a2'] } },
    {
      title: 'The first address of one backend stops',
      actions: [{ kind: 'stop-second-address', backends: ['a1'] }],
      expect: { kind: 'only', backends: ['a1', 'a2'] },
    },
  ],
};

export const failoverCases: readonly InteropCase[] = [
  primaryFailure,
  partialPrimaryFailure,
  gentleFailover,
  loadBasedFailover,
  outlierDetection,
  explicitOutlierDetection,
  dualstack,
];
