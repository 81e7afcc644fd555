import type { RpcType } from '../../observation/rpc-types';
import type { BuildResources, CaseAction, CaseStep, InteropCase } from '../interop-case';
import { type CaseRoute, oneCluster, twoClusters, typed } from './case-resources';

const [empty, unary] = ['EMPTY_CALL', 'UNARY_CALL'] as const;
const service = '/grpc.testing.TestService/';
const [ok, deadlineExceeded, unavailable, unauthenticated] = [0, 4, 14, 16];

const behavior = (value: string, types: readonly RpcType[], timeoutSeconds?: number): CaseAction => ({
  kind: 'configure',
  types,
  metadata: types.map((type) => ({ type, key: 'rpc-behavior', value })),
  ...(timeoutSeconds !== undefined && { timeoutSeconds }),
});

/** Nearly all RPCs that end have the status. */
const mostly = (type: RpcType, code: number, overMs: number): CaseStep['expect'] => ({
  ...{ kind: 'status', type, code, overMs },
  ...{ share: 1, tolerance: 0.05 },
});

const breaker = (maxRequests: number) => ({ circuitBreakers: { thresholds: [{ maxRequests }] } });
const byMethod = [{ match: { path: `${service}UnaryCall` }, to: 'a' }, { to: 'b' }];

const circuitBreaking: InteropCase = {
  name: 'circuit_breaking',
  title: 'No more RPCs than max_requests of a cluster are in flight, also after it changes',
  ...{ feature: 'Circuit breaking', grfc: 'A32', origin: 'description' },
  backends: { a: 2, b: 2 },
  // The limits are reached within 3 s.
  client: { qps: 100, types: [empty, unary] },
  resources: twoClusters(byMethod, { a: breaker(500), b: breaker(1_000) }),
  steps: [
    {
      title: 'Each method has a cluster of its own',
      expect: { kind: 'by-method', methods: { UnaryCall: ['a1', 'a2'], EmptyCall: ['b1', 'b2'] } },
    },
    {
      title: 'Backends keep RPCs open: 500 of the first cluster',
      actions: [behavior('keep-open', [empty, unary], 20)],
      expect: { kind: 'in-flight', type: unary, count: 500 },
    },
    { title: 'And 1,000 of the second cluster', expect: { kind: 'in-flight', type: empty, count: 1_000 } },
    {
      title: 'The limit of the first cluster becomes 800',
      actions: [{ kind: 'serve', resources: twoClusters(byMethod, { a: breaker(800), b: breaker(1_000) }) }],
      expect: { kind: 'in-flight', type: unary, count: 800 },
    },
  ],
};

const limited = {
  match: { path: `${service}UnaryCall` },
  action: { maxStreamDuration: { maxStreamDuration: '3s' } },
};

const timeout: InteropCase = {
  name: 'timeout',
  title: 'RPCs end after the shorter of the timeout of the application and that of the route',
  ...{ feature: 'Timeouts', grfc: 'A31', origin: 'description' },
  backends: { a: 1 },
  resources: oneCluster({ routes: [{ ...limited, to: 'a' }, { to: 'a' }] }),
  steps: [
    { title: 'The backend answers at once', expect: { kind: 'only', backends: ['a1'] } },
    {
      title: 'The backend waits 2 s, the application 1 s',
      actions: [behavior('sleep-2', [unary], 1)],
      expect: mostly(unary, deadlineExceeded, 2_000),
    },
    {
      title: 'The backend answers at once again',
      actions: [{ kind: 'configure', types: [unary] }],
      expect: mostly(unary, ok, 2_000),
    },
    {
      title: 'The backend waits 4 s, the route of UnaryCall 3 s',
      actions: [behavior('sleep-4', [empty, unary])],
      expect: mostly(unary, deadlineExceeded, 2_000),
    },
    {
      title: 'The route of EmptyCall has no timeout',
      expect: mostly(empty, ok, 2_000),
    },
  ],
};

const faultType = 'envoy.extensions.filters.http.fault.v3.HTTPFault';
const faultName = 'envoy.filters.http.fault';
const faultFilter = { name: faultName, typedConfig: typed(faultType) };

interface Fault {
  /** Percentages of RPCs that are aborted and delayed. */
  readonly abort?: number;
  readonly delay?: number;
  /** The fault is that of the route for these RPCs. Others have a route without a fault. */
  readonly match?: CaseRoute['match'];
}

function fault({ abort, delay, match }: Fault): BuildResources {
  const percent = (percentage: number) => ({
    percentage: { numerator: percentage * 10_000, denominator: 'MILLION' },
  });
  const typedPerFilterConfig = {
    [faultName]: typed(faultType, {
      ...(abort !== undefined && { abort: { httpStatus: 401, ...percent(abort) } }),
      ...(delay !== undefined && { delay: { fixedDelay: '20s', ...percent(delay) } }),
    }),
  };
  const faulty = { to: 'a', typedPerFilterConfig };
  const routes = match === undefined ? [faulty] : [{ ...faulty, match }, { to: 'a' }];
  return oneCluster({ filters: [faultFilter], routes });
}

function faultCase(
  name: string,
  title: string,
  { resources, client, ...step }: Pick<InteropCase, 'resources' | 'client'> & CaseStep,
): InteropCase {
  return {
    ...{ name, title, feature: 'Fault injection', grfc: 'A33', origin: 'later' },
    backends: { a: 1 },
    ...(resources && { resources }),
    ...(client && { client }),
    steps: [step],
  };
}

const half = (code: number, overMs: number): CaseStep['expect'] => ({
  ...{ kind: 'status', type: unary, code, overMs },
  ...{ share: 0.5, tolerance: 0.1 },
});

const retries = (numRetries: number) =>
  oneCluster({ route: { action: { retryPolicy: { retryOn: 'unavailable', numRetries } } } });

const fourthRetry = behavior('succeed-on-retry-attempt-4,error-code-14', [unary]);

const retryCase = (name: string, title: string, numRetries: number, code: number): InteropCase => ({
  ...{ name, title, feature: 'Retries', grfc: 'A44', origin: 'later' },
  backends: { a: 1 },
  resources: retries(numRetries),
  steps: [
    {
      title: 'The backend lets the fourth retry succeed',
      actions: [fourthRetry],
      expect: mostly(unary, code, 2_000),
    },
  ],
});

export const limitCases: readonly InteropCase[] = [
  circuitBreaking,
  timeout,
  faultCase('fault_zero_percent', 'A fault of 0% changes nothing', {
    resources: fault({ abort: 0, delay: 0 }),
    title: '0% of the RPCs are aborted or delayed',
    expect: mostly(unary, ok, 2_000),
  }),
  faultCase('fault_always_abort', 'A fault of 100% aborts every RPC', {
    resources: fault({ abort: 100 }),
    title: '100% of the RPCs are aborted with the HTTP status 401',
    expect: mostly(unary, unauthenticated, 2_000),
  }),
  faultCase('fault_non_matching', 'A fault in the route of other RPCs changes nothing', {
    resources: fault({
      ...{
        abort: 100,
        match: { prefix: '', headers: [{ name: 'xds_md', stringMatch: { exact: 'other' } }] },
      },
    }),
    client: { metadata: [{ type: unary, key: 'xds_md', value: 'own' }] },
    title: '100% of the RPCs with another value of the header are aborted',
    expect: mostly(unary, ok, 2_000),
  }),
  faultCase('fault_always_delay', 'A fault of 100% delays every RPC', {
    resources: fault({ delay: 100 }),
    client: { timeoutSeconds: 2 },
    title: '100% of the RPCs are delayed by 20 s, longer than their timeout of 2 s',
    expect: mostly(unary, deadlineExceeded, 4_000),
  }),
  faultCase('fault_half_abort', 'A fault of 50% aborts half of the RPCs', {
    resources: fault({ abort: 50 }),
    title: '50% of the RPCs are aborted with the HTTP status 401',
    expect: half(unauthenticated, 4_000),
  }),
  faultCase('fault_half_delay', 'A fault of 50% delays half of the RPCs', {
    resources: fault({ delay: 50 }),
    client: { timeoutSeconds: 3 },
    title: '50% of the RPCs are delayed by 20 s, longer than their timeout of 3 s',
    expect: half(deadlineExceeded, 4_000),
  }),
  retryCase('retry_3_of_4', 'An RPC fails if it needs more retries than the route allows', 3, unavailable),
  retryCase('retry_4_of_4', 'An RPC succeeds within the retries that the route allows', 4, ok),
];
