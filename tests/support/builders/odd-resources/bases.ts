import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import { any, fault, optional, rbac } from '../../../lib/validate/cases/any';
import {
  aggregateFamily,
  clusterFamily,
  dnsFamily,
  list,
  ring,
  ringFamily,
} from '../../../lib/validate/cases/cluster-cases';
import { endpointFamily, locality } from '../../../lib/validate/cases/endpoint-cases';
import { chain, chainWith, filter, last, manager } from '../../../lib/validate/cases/listener-builders';
import { apiListener, socketListener } from '../../../lib/validate/cases/listener-cases';
import { type Json, mutate } from '../../../lib/validate/cases/mutation';
import { hashOf, routeFamily } from '../../../lib/validate/cases/route-cases';
import { tlsFamily } from '../../../lib/validate/cases/tls-cases';

export interface Base {
  readonly name: string;
  readonly typeUrl: string;
  readonly nameField: 'name' | 'clusterName';
  readonly resource: Json;
}

const base = (name: string, typeUrl: string, resource: Json): Base => ({
  ...{ name, typeUrl, resource },
  nameField: 'clusterName' in resource ? 'clusterName' : 'name',
});

/** The machine binds none of these listeners. */
export const unbound = { bindToPort: false };

const socket = { socketAddress: { address: '127.0.0.1', portValue: 9 } };
const assignment = {
  clusterName: 'tested',
  endpoints: [{ lbEndpoints: [{ endpoint: { address: socket } }] }],
};

const detailedRoute = {
  name: 'first',
  match: {
    prefix: '/a',
    headers: [
      { name: 'x', stringMatch: { exact: 'y' } },
      { name: 'n', rangeMatch: { start: '1', end: '5' } },
      { name: 'r', stringMatch: { safeRegex: { regex: 'a+' } } },
    ],
    runtimeFraction: { defaultValue: { numerator: 10, denominator: 'HUNDRED' }, runtimeKey: 'key' },
  },
  route: {
    weightedClusters: {
      clusters: [
        { name: 'a', weight: 40 },
        { name: 'b', weight: 60 },
      ],
    },
    timeout: '3s',
    maxStreamDuration: { maxStreamDuration: '5s', grpcTimeoutHeaderMax: '5s' },
    hashPolicy: [
      ...hashOf({ pattern: { regex: 'a' }, substitution: 'b' }),
      { filterState: { key: 'io.grpc.channel_id' } },
    ],
    retryPolicy: {
      retryOn: 'cancelled,unavailable',
      numRetries: 2,
      retryBackOff: { baseInterval: '0.1s', maxInterval: '1s' },
    },
  },
};

/** Composite filters in one another, the innermost with a fault filter. */
function composite(depth: number): object {
  const inner = depth > 1 ? composite(depth - 1) : fault;
  const action = any('envoy.extensions.filters.http.composite.v3.ExecuteFilterAction', {
    typedConfig: { name: 'inner', typedConfig: inner },
  });
  const input = any('envoy.type.matcher.v3.HttpRequestHeaderMatchInput', { headerName: 'x' });
  const predicate = {
    singlePredicate: { input: { name: 'header', typedConfig: input }, valueMatch: { exact: 'y' } },
  };
  return any('envoy.extensions.common.matching.v3.ExtensionWithMatcher', {
    extensionConfig: {
      name: 'composite',
      typedConfig: any('envoy.extensions.filters.http.composite.v3.Composite'),
    },
    xdsMatcher: {
      matcherList: {
        matchers: [{ predicate, onMatch: { action: { name: 'inner', typedConfig: action } } }],
      },
    },
  });
}

const compositeListener = (depth: number): Json => ({
  ...mutate(socketListener.base, {
    at: 'filterChains',
    value: chainWith({ httpFilters: [filter('composite', composite(depth), optional), last] }),
  }),
  ...unbound,
});

/** Valid resources of every kind: those of the tables, and others that set many fields. */
export const bases: readonly Base[] = [
  base('API listener', LDS.typeUrl, apiListener.base),
  base('socket listener', LDS.typeUrl, { ...socketListener.base, ...unbound }),
  base('listener with filters', LDS.typeUrl, {
    ...mutate(socketListener.base, {
      at: 'filterChains',
      value: chainWith({
        httpFilters: [filter('rbac', rbac), last],
        commonHttpProtocolOptions: { maxStreamDuration: '10s', idleTimeout: '60s' },
        streamIdleTimeout: '60s',
      }),
    }),
    ...unbound,
  }),
  base('API listener with filters', LDS.typeUrl, {
    name: 'svc',
    apiListener: {
      apiListener: manager({
        httpFilters: [filter('fault', fault), last],
        commonHttpProtocolOptions: { maxStreamDuration: '10s' },
      }),
    },
  }),
  base('listener with a composite filter', LDS.typeUrl, compositeListener(1)),
  base('listener with matches', LDS.typeUrl, {
    ...socketListener.base,
    ...unbound,
    filterChains: [
      chain({
        name: 'one',
        filterChainMatch: {
          prefixRanges: [{ addressPrefix: '10.0.0.0', prefixLen: 8 }],
          sourcePrefixRanges: [{ addressPrefix: '10.1.0.0', prefixLen: 16 }],
          sourceType: 'EXTERNAL',
          sourcePorts: [1, 2],
          transportProtocol: 'raw_buffer',
        },
      }),
    ],
    defaultFilterChain: chain({ name: 'two' }),
  }),
  base('route configuration', RDS.typeUrl, routeFamily.base),
  base('detailed route configuration', RDS.typeUrl, {
    name: 'rt',
    virtualHosts: [
      {
        name: 'vh',
        domains: ['a.example', '*.example'],
        routes: [detailedRoute, { match: { path: '/s/m' }, route: { cluster: 'c' } }],
        retryPolicy: { retryOn: 'internal', numRetries: 1 },
        typedPerFilterConfig: { fault },
      },
    ],
  }),
  base('route configuration that validates clusters', RDS.typeUrl, {
    name: 'rt',
    validateClusters: true,
    virtualHosts: [
      { name: 'vh', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'c' } }] },
    ],
  }),
  base('cluster', CDS.typeUrl, clusterFamily.base),
  base(
    'LOGICAL_DNS cluster',
    CDS.typeUrl,
    mutate(dnsFamily.base, {
      at: 'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address',
      value: socket,
    }),
  ),
  base('aggregate cluster', CDS.typeUrl, { ...aggregateFamily.base, lbPolicy: 'CLUSTER_PROVIDED' }),
  base('RING_HASH cluster', CDS.typeUrl, {
    ...ringFamily.base,
    ringHashLbConfig: { minimumRingSize: '10', maximumRingSize: '20', hashFunction: 'XX_HASH' },
  }),
  base('TLS cluster', CDS.typeUrl, tlsFamily.base),
  base('detailed cluster', CDS.typeUrl, {
    ...clusterFamily.base,
    connectTimeout: '1s',
    lbPolicy: 'ROUND_ROBIN',
    lrsServer: { self: {} },
    loadBalancingPolicy: list(ring({ minimumRingSize: '10', maximumRingSize: '20' })),
    circuitBreakers: { thresholds: [{ maxRequests: 10 }] },
    outlierDetection: {
      interval: '10s',
      baseEjectionTime: '30s',
      maxEjectionTime: '300s',
      maxEjectionPercent: 10,
      successRateStdevFactor: 1900,
      enforcingSuccessRate: 100,
      failurePercentageThreshold: 85,
      enforcingFailurePercentage: 50,
    },
    metadata: {
      typedFilterMetadata: { x: any('envoy.extensions.filters.http.gcp_authn.v3.Audience', { url: 'u' }) },
    },
  }),
  base('static cluster', CDS.typeUrl, {
    name: 'cl',
    type: 'STATIC',
    connectTimeout: '1s',
    loadAssignment: assignment,
    commonLbConfig: { healthyPanicThreshold: { value: 50 } },
  }),
  base('load assignment', EDS.typeUrl, endpointFamily.base),
  base('detailed load assignment', EDS.typeUrl, {
    clusterName: 'cl',
    endpoints: [
      locality('a', '10.0.0.1', { priority: 0 }),
      locality('b', '10.0.0.2', {
        priority: 1,
        lbEndpoints: [
          {
            endpoint: { address: { socketAddress: { address: '10.0.0.3', portValue: 80 } }, hostname: 'h' },
            healthStatus: 'HEALTHY',
            loadBalancingWeight: 3,
          },
        ],
      }),
    ],
    policy: {
      overprovisioningFactor: 140,
      dropOverloads: [{ category: 'a', dropPercentage: { numerator: 1, denominator: 'HUNDRED' } }],
    },
  }),
  base('secret', SDS.typeUrl, {
    name: 'secret',
    validationContext: { verifyCertificateSpki: [Buffer.alloc(32, 1).toString('base64')] },
  }),
];

/** Resources whose every field is valid. */
export const nested: readonly Base[] = [
  base('listener with 8 nested composite filters', LDS.typeUrl, compositeListener(8)),
  base('listener with 9 nested composite filters', LDS.typeUrl, compositeListener(9)),
  base('cluster with a policy beside the weights of localities', CDS.typeUrl, {
    ...clusterFamily.base,
    loadBalancingPolicy: list(ring({ minimumRingSize: '10', maximumRingSize: '20' })),
    commonLbConfig: { localityWeightedLbConfig: {} },
  }),
  base('cluster with a Maglev table', CDS.typeUrl, {
    ...clusterFamily.base,
    lbPolicy: 'MAGLEV',
    maglevLbConfig: { tableSize: '65536' },
  }),
  base('route configuration with an unknown command operator', RDS.typeUrl, {
    ...routeFamily.base,
    requestHeadersToAdd: [{ header: { key: 'x', value: '%NOPE%' } }],
  }),
  base('cluster with options of an extension', CDS.typeUrl, {
    ...clusterFamily.base,
    typedExtensionProtocolOptions: { x: any('google.protobuf.StringValue') },
  }),
  ...routeFamily.mutations
    .filter(({ rule }) => rule === 'ENVOY-headers' || rule === 'ENVOY-rewrite')
    .map((each) =>
      base(`route configuration with ${each.label}`, RDS.typeUrl, mutate(routeFamily.base, each)),
    ),
];
