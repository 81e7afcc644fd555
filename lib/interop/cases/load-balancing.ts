import type { RpcType } from '../../observation/rpc-types';
import type { InteropCase } from '../interop-case';
import {
  cluster,
  endpoints,
  listener,
  oneCluster,
  routeConfiguration,
  twoClusters,
  typed,
} from './case-resources';

const feature = 'Load balancing';
const [empty, unary] = ['EMPTY_CALL', 'UNARY_CALL'] as const;
const all = ['a1', 'a2', 'a3', 'a4'];
const even = { a1: 25, a2: 25, a3: 25, a4: 25 };

const noFailures = { title: 'No RPC failed', expect: { kind: 'no-failures' } } as const;

const pingPong: InteropCase = {
  name: 'ping_pong',
  title: 'RPCs reach every backend of a cluster',
  ...{ feature, grfc: 'A27', origin: 'description' },
  backends: { a: 4 },
  resources: oneCluster(),
  steps: [{ title: 'Every backend receives RPCs', expect: { kind: 'only', backends: all } }, noFailures],
};

const roundRobin: InteropCase = {
  name: 'round_robin',
  title: 'RPCs are distributed evenly over the backends of a locality',
  ...{ feature, grfc: 'A27', origin: 'description' },
  backends: { a: 4 },
  resources: oneCluster(),
  steps: [
    { title: 'Every backend receives RPCs', expect: { kind: 'only', backends: all } },
    {
      title: 'Every backend receives as many RPCs as the others',
      expect: { kind: 'shares', rpcs: 100, counts: even, tolerance: 1 },
    },
    noFailures,
  ],
};

const backendsRestart: InteropCase = {
  name: 'backends_restart',
  title: 'RPCs succeed again after all backends stopped and started',
  ...{ feature, grfc: 'A27', origin: 'description' },
  backends: { a: 4 },
  resources: oneCluster(),
  steps: [
    { title: 'Every backend receives RPCs', expect: { kind: 'only', backends: all } },
    {
      title: 'All backends stop',
      actions: [
        // RPCs that wait for a connection end with their timeout.
        { kind: 'configure', types: [unary], timeoutSeconds: 2 },
        { kind: 'stop-backends', backends: all },
      ],
      expect: { kind: 'none-succeed', overMs: 1_500 },
    },
    {
      title: 'All backends start',
      actions: [
        { kind: 'start-backends', backends: all },
        { kind: 'configure', types: [unary] },
      ],
      expect: { kind: 'shares', rpcs: 100, counts: even, tolerance: 2 },
    },
  ],
};

const trafficSplitting: InteropCase = {
  name: 'traffic_splitting',
  title: 'RPCs are split over clusters by their weights',
  ...{ feature, grfc: 'A28', origin: 'description' },
  backends: { a: 1, b: 1 },
  // 1,000 RPCs take 2.5 s.
  client: { qps: 400 },
  resources: twoClusters([{ to: 'a' }]),
  steps: [
    { title: 'All RPCs go to the first cluster', expect: { kind: 'only', backends: ['a1'], rpcs: 1_000 } },
    {
      title: 'The first cluster has the weight 20, the second 80',
      actions: [{ kind: 'serve', resources: twoClusters([{ to: { a: 20, b: 80 } }]) }],
      // The tolerance is four times the standard deviation.
      expect: { kind: 'shares', rpcs: 1_000, counts: { a1: 200, b1: 800 }, tolerance: 50 },
    },
  ],
};

const customPolicy = (name: string, value: object) => ({
  typedExtensionConfig: {
    name,
    typedConfig: typed('xds.type.v3.TypedStruct', { typeUrl: `type.googleapis.com/${name}`, value }),
  },
});

const customLb: InteropCase = {
  name: 'custom_lb',
  title: 'An LB policy of the application is chosen, and an unknown one before it is ignored',
  ...{ feature, grfc: 'A52', origin: 'description' },
  backends: { a: 1 },
  resources: oneCluster({
    fields: {
      loadBalancingPolicy: {
        policies: [
          {
            typedExtensionConfig: {
              name: 'envoy.load_balancing_policies.wrr_locality',
              typedConfig: typed('envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality', {
                endpointPickingPolicy: {
                  policies: [
                    customPolicy('test.ThisLoadBalancerDoesNotExist', { foo: 'bar' }),
                    customPolicy('test.RpcBehaviorLoadBalancer', { rpcBehavior: 'error-code-15' }),
                  ],
                },
              }),
            },
          },
        ],
      },
    },
  }),
  steps: [
    {
      title: 'The policy adds rpc-behavior to each RPC',
      expect: { kind: 'status', type: unary, code: 15, share: 1, tolerance: 0.05, overMs: 2_000 },
    },
  ],
};

const hashRoute = { action: { hashPolicy: [{ header: { headerName: 'xds_md' } }] } };

const hashed = oneCluster({ route: hashRoute, fields: { lbPolicy: 'RING_HASH' } });

const affinity: InteropCase = {
  name: 'affinity',
  title: 'RPCs with one value of a header go to one backend, and to one other when it does not serve',
  ...{ feature, grfc: 'A42', origin: 'later' },
  backends: { a: 3 },
  client: { metadata: [{ type: unary, key: 'xds_md', value: '123' }] },
  resources: hashed,
  steps: [
    { title: 'One backend receives all RPCs', expect: { kind: 'one-backend', rpcs: 100 } },
    {
      title: 'It no longer serves',
      actions: [{ kind: 'set-serving', backends: 'used', isServing: false }],
      expect: { kind: 'one-backend', rpcs: 100, isOther: true },
    },
  ],
};

const withHeader = (type: RpcType, value: string) => [{ type, key: 'xds_md', value }];

const affinityByHeader: InteropCase = {
  name: 'affinity_header',
  title: 'RPCs with one value of a header go to one backend',
  ...{ feature, grfc: 'A42', origin: 'later' },
  backends: { a: 3 },
  client: { types: [empty], metadata: withHeader(empty, '123') },
  resources: hashed,
  steps: [{ title: 'One backend receives all RPCs', expect: { kind: 'one-backend', rpcs: 150 } }, noFailures],
};

const affinityBySeveralValues: InteropCase = {
  name: 'affinity_several_values',
  title: 'RPCs with another value of a header go to another backend',
  ...{ feature, grfc: 'A42', origin: 'later' },
  backends: { a: 3 },
  client: { metadata: withHeader(unary, '123') },
  resources: hashed,
  steps: [
    { title: 'One backend receives all RPCs with one value', expect: { kind: 'one-backend', rpcs: 100 } },
    {
      title: 'One other backend receives all RPCs with one of several other values',
      // One of three backends has a third of the hashes: the values are tried until one is that of another backend.
      actionOfTurn: (turn) => ({ kind: 'configure', types: [unary], metadata: withHeader(unary, `${turn}`) }),
      expect: { kind: 'one-backend', rpcs: 100, isOther: true },
    },
    noFailures,
  ],
};

const removeInstanceGroup: InteropCase = {
  name: 'remove_instance_group',
  title: 'Backends that EDS no longer contains receive no RPCs, and none fails',
  ...{ feature: 'Config changes', grfc: 'A27', origin: 'description' },
  backends: { a: 2, b: 2 },
  resources: oneCluster({
    localities: (mesh) => [{ zone: 'a', backends: [...mesh.group('a'), ...mesh.group('b')] }],
  }),
  steps: [
    { title: 'Every backend receives RPCs', expect: { kind: 'only', backends: ['a1', 'a2', 'b1', 'b2'] } },
    {
      title: 'The first two backends are removed',
      actions: [
        {
          kind: 'serve',
          resources: oneCluster({ localities: (mesh) => [{ zone: 'a', backends: mesh.group('b') }] }),
        },
      ],
      expect: { kind: 'only', backends: ['b1', 'b2'] },
    },
    noFailures,
  ],
};

const changeBackendService: InteropCase = {
  name: 'change_backend_service',
  title: 'RPCs go to another cluster when the routes name it, and none fails',
  ...{ feature: 'Config changes', grfc: 'A27', origin: 'description' },
  backends: { a: 2, b: 2 },
  resources: oneCluster(),
  steps: [
    { title: 'The first cluster receives RPCs', expect: { kind: 'only', backends: ['a1', 'a2'] } },
    {
      title: 'The routes name the second cluster',
      actions: [{ kind: 'serve', resources: twoClusters([{ to: 'b' }]) }],
      expect: { kind: 'only', backends: ['b1', 'b2'] },
    },
    noFailures,
  ],
};

const apiListener: InteropCase = {
  name: 'api_listener',
  title: 'The listener names other routes, and the former ones are removed: no RPC fails',
  ...{ feature: 'Config changes', grfc: 'A27', origin: 'description' },
  backends: { a: 2 },
  resources: oneCluster(),
  steps: [
    { title: 'The first routes are used', expect: { kind: 'only', backends: ['a1', 'a2'] } },
    {
      title: 'The listener names other routes',
      actions: [
        {
          kind: 'serve',
          resources: (mesh) => [...withRoutes('routes-2')(mesh), routeConfiguration([{ to: 'a' }])],
        },
      ],
      expect: { kind: 'only', backends: ['a1', 'a2'] },
    },
    {
      title: 'The first routes are removed',
      actions: [{ kind: 'serve', resources: withRoutes('routes-2') }],
      expect: { kind: 'only', backends: ['a1', 'a2'], rpcs: 200 },
    },
    noFailures,
  ],
};

function withRoutes(name: string): NonNullable<InteropCase['resources']> {
  return (mesh) => [
    listener({ routes: name }),
    routeConfiguration([{ to: 'a' }], { name }),
    cluster('a'),
    endpoints('a', [{ zone: 'a', backends: mesh.group('a') }]),
  ];
}

export const loadBalancingCases: readonly InteropCase[] = [
  pingPong,
  roundRobin,
  backendsRestart,
  trafficSplitting,
  customLb,
  affinity,
  affinityByHeader,
  affinityBySeveralValues,
  removeInstanceGroup,
  changeBackendService,
  apiListener,
];
