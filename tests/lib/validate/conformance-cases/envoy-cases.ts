import type { Verdict } from '@/lib/validate/reactions';
import type { RuleContext } from '@/lib/validate/rule';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { readEnforcedConstraints } from '@/server/codec/constraints';

type Json = Readonly<Record<string, unknown>>;
export type EnvoyCase = readonly [
  title: string,
  resource: Json,
  verdict: Verdict,
  context?: Pick<RuleContext, 'isRepeated' | 'takenAddresses' | 'response'>,
];

const typed = (name: string, rest: Json = {}) => ({ '@type': `type.googleapis.com/${name}`, ...rest });
const unregistered = typed('google.protobuf.StringValue', { value: 'x' });

const eds = (rest: Json = {}): Json => ({
  name: 'c',
  type: 'EDS',
  connectTimeout: '1s',
  edsClusterConfig: { edsConfig: { ads: {} } },
  ...rest,
});
const aggregate = (rest: Json = {}): Json => ({
  name: 'c',
  clusterType: {
    name: 'envoy.clusters.aggregate',
    typedConfig: typed('envoy.extensions.clusters.aggregate.v3.ClusterConfig', { clusters: ['a'] }),
  },
  ...rest,
});
const policy = (name: string, rest: Json = {}) => ({
  policies: [
    {
      typedExtensionConfig: {
        name: 'p',
        typedConfig: typed(`envoy.extensions.load_balancing_policies.${name}`, rest),
      },
    },
  ],
});
const roundRobin = policy('round_robin.v3.RoundRobin');
const wrrLocality = (child: Json) => policy('wrr_locality.v3.WrrLocality', { endpointPickingPolicy: child });
const weighted = policy('client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin');
const tls = (common: Json) => ({
  transportSocket: {
    name: 'envoy.transport_sockets.tls',
    typedConfig: typed('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
      commonTlsContext: common,
    }),
  },
});

const clusters: readonly EnvoyCase[] = [
  ['load_balancing_policy', eds({ loadBalancingPolicy: roundRobin }), 'ACK'],
  ...['localityWeightedLbConfig', 'zoneAwareLbConfig', 'consistentHashingLbConfig'].map(
    (name): EnvoyCase => [
      `load_balancing_policy beside ${name}`,
      eds({ loadBalancingPolicy: roundRobin, commonLbConfig: { [name]: {} } }),
      'NACK',
    ],
  ),
  [
    'load_balancing_policy beside healthy_panic_threshold',
    eds({ loadBalancingPolicy: roundRobin, commonLbConfig: { healthyPanicThreshold: { value: 10 } } }),
    'ACK',
  ],
  ['no registered policy', eds({ loadBalancingPolicy: policy('pick_first.v3.PickFirst') }), 'NACK'],
  ['wrr_locality over round_robin', eds({ loadBalancingPolicy: wrrLocality(roundRobin) }), 'NACK'],
  [
    'wrr_locality over client_side_weighted_round_robin',
    eds({ loadBalancingPolicy: wrrLocality(weighted) }),
    'ACK',
  ],
  ['CLUSTER_PROVIDED on EDS', eds({ lbPolicy: 'CLUSTER_PROVIDED' }), 'NACK'],
  ['an aggregate with CLUSTER_PROVIDED', aggregate({ lbPolicy: 'CLUSTER_PROVIDED' }), 'ACK'],
  ['an aggregate with ROUND_ROBIN', aggregate(), 'NACK'],
  ['an aggregate with a load_balancing_policy', aggregate({ loadBalancingPolicy: roundRobin }), 'NACK'],
  [
    'maglev table size not prime',
    eds({ lbPolicy: 'MAGLEV', maglevLbConfig: { tableSize: '65536' } }),
    'NACK',
  ],
  ['maglev table size prime', eds({ lbPolicy: 'MAGLEV', maglevLbConfig: { tableSize: '65537' } }), 'ACK'],
  [
    'maglev extension, table size not prime',
    eds({ loadBalancingPolicy: policy('maglev.v3.Maglev', { tableSize: '65536' }) }),
    'NACK',
  ],
  [
    'ring hash min > max',
    eds({ lbPolicy: 'RING_HASH', ringHashLbConfig: { minimumRingSize: '20', maximumRingSize: '10' } }),
    'NACK',
  ],
  [
    'ring hash extension min > max',
    eds({
      loadBalancingPolicy: policy('ring_hash.v3.RingHash', { minimumRingSize: '20', maximumRingSize: '10' }),
    }),
    'NACK',
  ],
  [
    'unregistered typed_extension_protocol_options',
    eds({ typedExtensionProtocolOptions: { 'envoy.nope': unregistered } }),
    'NACK',
  ],
  ['an SDS name without sds_config', eds(tls({ tlsCertificateSdsSecretConfigs: [{ name: 's' }] })), 'NACK'],
  [
    'an SDS name without sds_config for validation',
    eds(tls({ validationContextSdsSecretConfig: { name: 's' } })),
    'NACK',
  ],
  [
    'an SDS name with sds_config',
    eds(tls({ tlsCertificateSdsSecretConfigs: [{ name: 's', sdsConfig: { ads: {} } }] })),
    'ACK',
  ],
  [
    'an inline certificate without private key',
    eds(tls({ tlsCertificates: [{ certificateChain: { filename: '/cert' } }] })),
    'NACK',
  ],
  ['a STATIC cluster with an IP address', staticCluster('10.0.0.1'), 'ACK'],
  ['a STATIC cluster with a host name', staticCluster('example.com'), 'NACK'],
  ['a name for the second time in a response', eds(), 'NACK', { isRepeated: true }],
  [
    'a cluster beside a resource of another type in its response',
    eds(),
    'NACK',
    { response: { typeUrl: CDS.typeUrl, isMixed: true } },
  ],
  [
    'a cluster in a response of another type',
    eds(),
    'NACK',
    { response: { typeUrl: EDS.typeUrl, isMixed: true } },
  ],
];

function staticCluster(address: string): Json {
  const socketAddress = { address, portValue: 80 };
  const lbEndpoints = [{ endpoint: { address: { socketAddress } } }];
  return {
    ...{ name: 'c', type: 'STATIC', connectTimeout: '1s' },
    loadAssignment: { clusterName: 'c', endpoints: [{ lbEndpoints }] },
  };
}

const endpoint = (address: Json, rest: Json = {}) => ({ endpoint: { address }, ...rest });
const socket = (address: string, rest: Json = { portValue: 80 }) => ({ socketAddress: { address, ...rest } });
const locality = (lbEndpoints: readonly Json[], rest: Json = {}) => ({
  locality: { region: 'r' },
  loadBalancingWeight: 1,
  lbEndpoints,
  ...rest,
});
const one = endpoint(socket('10.0.0.1'));
const load = (endpoints: readonly Json[], rest: Json = {}): Json => ({
  clusterName: 'c',
  endpoints,
  ...rest,
});
const drop = (category: string, numerator: number) => ({
  category,
  dropPercentage: { numerator, denominator: 'HUNDRED' },
});

const assignments: readonly EnvoyCase[] = [
  ['one endpoint', load([locality([one])]), 'ACK'],
  ['two drop categories', load([], { policy: { dropOverloads: [drop('a', 1), drop('b', 1)] } }), 'NACK'],
  ['a drop of 101 %', load([], { policy: { dropOverloads: [drop('a', 101)] } }), 'NACK'],
  ['a named port', load([locality([endpoint(socket('10.0.0.1', { namedPort: 'http' }))])]), 'NACK'],
  ['a host name', load([locality([endpoint(socket('example.com'))])]), 'NACK'],
  ['priority 128', load([locality([one], { priority: 128 })]), 'ACK'],
  ['priority 129', load([locality([one], { priority: 129 })]), 'NACK'],
  ['locality weight 0', load([locality([one], { loadBalancingWeight: 0 })]), 'NACK'],
  ['endpoint weight 0', load([locality([{ ...one, loadBalancingWeight: 0 }])]), 'NACK'],
  ['a name that is not subscribed', { ...load([locality([one])]), clusterName: 'other' }, 'ACK_IGNORED'],
  ['a priority gap', load([locality([one]), locality([one], { priority: 2 })]), 'ACK'],
  ['priorities from 1', load([locality([one], { priority: 1 })]), 'ACK'],
  ['a duplicate address', load([locality([one, one])]), 'ACK'],
  ['a duplicate locality', load([locality([one]), locality([endpoint(socket('10.0.0.2'))])]), 'ACK'],
  ['no locality', load([{ lbEndpoints: [one] }]), 'ACK'],
  ['a pipe', load([locality([endpoint({ pipe: { path: '/p' } })])]), 'ACK'],
  [
    'locality weights over 2^32-1',
    load(
      ['a', 'b'].map((region) => locality([one], { locality: { region }, loadBalancingWeight: 4294967295 })),
    ),
    'ACK',
  ],
  ['port 0', load([locality([endpoint(socket('10.0.0.1', { portValue: 0 }))])]), 'ACK'],
  ['an unknown health status', load([locality([{ ...one, healthStatus: 77 }])]), 'ACK'],
];

const host = (routes: readonly Json[], rest: Json = {}) => ({ name: 'h', domains: ['*'], routes, ...rest });
const routes = (virtualHosts: readonly Json[], rest: Json = {}): Json => ({
  name: 'r',
  virtualHosts,
  ...rest,
});
const toCluster = { match: { prefix: '/' }, route: { cluster: 'c' } };
const route = (rest: Json) => routes([host([{ ...toCluster, ...rest }])]);
const action = (rest: Json) => route({ route: { cluster: 'c', ...rest } });
const shares = (list: readonly Json[]) => route({ route: { weightedClusters: { clusters: list } } });
const header = (key: string, value: string) => ({ requestHeadersToAdd: [{ header: { key, value } }] });

const routeConfigs: readonly EnvoyCase[] = [
  ['one route', route({}), 'ACK'],
  [
    'one domain in two virtual hosts, in other letters',
    routes([host([], { domains: ['A.example'] }), host([], { name: 'i', domains: ['a.example'] })]),
    'NACK',
  ],
  [
    'two virtual hosts of one name',
    routes([host([], { domains: ['a'] }), host([], { domains: ['b'] })]),
    'ACK',
  ],
  [
    'validate_clusters and an unknown cluster',
    { ...route({ route: { cluster: 'unknown' } }), validateClusters: true },
    'NACK',
  ],
  ['an unknown cluster', route({ route: { cluster: 'unknown' } }), 'ACK'],
  ['a weighted cluster without weight', shares([{ name: 'c', weight: 1 }, { name: 'c' }]), 'NACK'],
  ['a weighted cluster without name', shares([{ weight: 1 }]), 'NACK'],
  ['a weighted cluster with cluster_header', shares([{ clusterHeader: 'x', weight: 1 }]), 'ACK'],
  ['weights of sum 0', shares([{ name: 'c', weight: 0 }]), 'NACK'],
  [
    'weights over 2^32-1',
    shares([
      { name: 'c', weight: 4294967295 },
      { name: 'c', weight: 1 },
    ]),
    'NACK',
  ],
  ['an undeclared plugin', route({ route: { clusterSpecifierPlugin: 'p' } }), 'NACK'],
  ['a regex beyond the default limit', route({ match: { safeRegex: { regex: 'a{1000}' } } }), 'NACK'],
  [
    'a regex beyond its own limit',
    route({ match: { safeRegex: { regex: 'a', googleRe2: { maxProgramSize: 1 } } } }),
    'NACK',
  ],
  [
    'a regex within its own limit',
    route({ match: { safeRegex: { regex: 'a{1000}', googleRe2: { maxProgramSize: 2000 } } } }),
    'ACK',
  ],
  ['a path regex that does not compile', route({ match: { safeRegex: { regex: '(' } } }), 'NACK'],
  [
    'a header regex that does not compile',
    route({ match: { prefix: '/', headers: [{ name: 'x', stringMatch: { safeRegex: { regex: '(' } } }] } }),
    'NACK',
  ],
  [
    'a query regex that does not compile',
    route({
      match: { prefix: '/', queryParameters: [{ name: 'x', stringMatch: { safeRegex: { regex: '(' } } }] },
    }),
    'NACK',
  ],
  [
    'a rewrite that does not compile',
    action({ regexRewrite: { pattern: { regex: '(' }, substitution: 'x' } }),
    'NACK',
  ],
  [
    'a rewrite of a redirect that does not compile',
    route({
      route: undefined,
      redirect: { regexRewrite: { pattern: { regex: '(' }, substitution: 'x' } },
    }),
    'NACK',
  ],
  [
    'a host rewrite that does not compile',
    action({ hostRewritePathRegex: { pattern: { regex: '(' }, substitution: 'x' } }),
    'NACK',
  ],
  ['an unknown command operator', route(header('x', '%NOPE%')), 'NACK'],
  ['a known command operator', route(header('x', '%DOWNSTREAM_REMOTE_ADDRESS%')), 'ACK'],
  ['a known command operator with a parameter', route(header('x', 'a %REQ(:path)% %START_TIME(%s)%')), 'ACK'],
  ['an escaped percent sign', route(header('x', '100%%')), 'ACK'],
  ['a percent sign alone', route(header('x', '100%')), 'NACK'],
  [
    'an unknown command operator in a response header',
    route({ responseHeadersToAdd: [{ header: { key: 'x', value: '%NOPE%' } }] }),
    'NACK',
  ],
  ['a pseudo-header', route(header(':path', 'x')), 'NACK'],
  ['the header Host', route(header('Host', 'x')), 'NACK'],
  [
    'an unregistered type in typed_per_filter_config',
    route({ typedPerFilterConfig: { f: unregistered } }),
    'NACK',
  ],
  [
    'max_interval < base_interval',
    action({ retryPolicy: { retryBackOff: { baseInterval: '2s', maxInterval: '1s' } } }),
    'NACK',
  ],
  ['a negative timeout', action({ timeout: '-1s' }), 'NACK'],
  ['a negative idle timeout', action({ idleTimeout: '-0.5s' }), 'NACK'],
  ['a negative per_try_timeout', action({ retryPolicy: { perTryTimeout: '-1s' } }), 'NACK'],
  ['a negative max_stream_duration', action({ maxStreamDuration: { maxStreamDuration: '-1s' } }), 'NACK'],
  ['a mirror policy with a cluster', action({ requestMirrorPolicies: [{ cluster: 'c' }] }), 'ACK'],
  ['a mirror policy without a cluster', action({ requestMirrorPolicies: [{}] }), 'NACK'],
  ['two stars', routes([host([], { domains: ['*foo*'] })]), 'ACK'],
  ['a star in the middle', routes([host([], { domains: ['a*b'] })]), 'ACK'],
  ['no virtual hosts', routes([]), 'ACK'],
  ['a virtual host without routes', routes([host([])]), 'ACK'],
  [
    'a header range with end before start',
    route({ match: { prefix: '/', headers: [{ name: 'x', rangeMatch: { start: '9', end: '1' } }] } }),
    'ACK',
  ],
];

const router = {
  name: 'envoy.filters.http.router',
  typedConfig: typed('envoy.extensions.filters.http.router.v3.Router'),
};
const cors = {
  name: 'envoy.filters.http.cors',
  typedConfig: typed('envoy.extensions.filters.http.cors.v3.Cors'),
};
const connectionManager = (rest: Json = {}) => ({
  name: 'hcm',
  typedConfig: typed('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
    statPrefix: 's',
    rds: { routeConfigName: 'r', configSource: { ads: {} } },
    httpFilters: [router],
    ...rest,
  }),
});
const address = socket('0.0.0.0');
const listener = (filter: Json, rest: Json = {}): Json => ({
  name: 'l',
  address,
  filterChains: [{ filters: [filter] }],
  ...rest,
});
const inline = (cluster: string, rest: Json = {}) =>
  connectionManager({
    rds: undefined,
    routeConfig: { ...routes([host([{ match: { prefix: '/' }, route: { cluster } }])]), ...rest },
  });
const filters = (...httpFilters: readonly Json[]) => listener(connectionManager({ httpFilters }));

const manager = (statPrefix: string) => ({
  name: 'hcm',
  typedConfig: typed('xds.type.v3.TypedStruct', {
    typeUrl: connectionManager().typedConfig['@type'],
    value: {
      stat_prefix: statPrefix,
      rds: { route_config_name: 'r', config_source: { ads: {} } },
      http_filters: [router],
    },
  }),
});
const composite = (action: Json) => ({
  name: 'composite',
  typedConfig: typed('envoy.extensions.common.matching.v3.ExtensionWithMatcher', {
    extensionConfig: {
      name: 'composite',
      typedConfig: typed('envoy.extensions.filters.http.composite.v3.Composite'),
    },
    xdsMatcher: {
      onNoMatch: {
        action: {
          name: 'inner',
          typedConfig: typed('envoy.extensions.filters.http.composite.v3.ExecuteFilterAction', action),
        },
      },
    },
  }),
});

const listeners: readonly EnvoyCase[] = [
  ['a listener', listener(connectionManager()), 'ACK'],
  [
    'an internal listener',
    listener(connectionManager(), { address: undefined, internalListener: {} }),
    'ACK',
  ],
  ['no address', listener(connectionManager(), { address: undefined }), 'NACK'],
  [
    'an additional address',
    listener(connectionManager(), {
      additionalAddresses: [{ address: socket('0.0.0.0', { portValue: 81 }) }],
    }),
    'ACK',
  ],
  ['an additional address of nothing', listener(connectionManager(), { additionalAddresses: [{}] }), 'CRASH'],
  [
    'filter_chain_matcher and a chain without name',
    listener(connectionManager(), {
      filterChainMatcher: {
        onNoMatch: {
          action: {
            name: 'chain',
            typedConfig: typed('google.protobuf.StringValue', { value: 'a' }),
          },
        },
      },
    }),
    'NACK',
  ],
  [
    'the address of another listener',
    listener(connectionManager()),
    'NACK',
    { takenAddresses: new Map([['TCP 0.0.0.0:80', 'other']]) },
  ],
  [
    'an additional address of another listener',
    listener(connectionManager(), {
      additionalAddresses: [{ address: socket('0.0.0.0', { portValue: 81 }) }],
    }),
    'NACK',
    { takenAddresses: new Map([['TCP 0.0.0.0:81', 'other']]) },
  ],
  [
    'the port of another listener at another address',
    listener(connectionManager()),
    'ACK',
    { takenAddresses: new Map([['TCP 127.0.0.1:80', 'other']]) },
  ],
  ['TCP without filter chains', { name: 'l', address }, 'NACK'],
  [
    'UDP without filter chains',
    { name: 'l', address: { socketAddress: { ...address.socketAddress, protocol: 'UDP' } } },
    'ACK',
  ],
  ['no name', listener(connectionManager(), { name: '' }), 'ACK'],
  ['last filter not terminal', filters(cors), 'NACK'],
  [
    'last filter not terminal: ext_authz',
    filters({
      name: 'a',
      typedConfig: typed('envoy.extensions.filters.http.ext_authz.v3.ExtAuthz', {
        grpcService: { envoyGrpc: { clusterName: 'c' } },
      }),
    }),
    'NACK',
  ],
  ['terminal filter not last', filters(router, cors), 'NACK'],
  ['a manager in a TypedStruct', listener(manager('s')), 'ACK'],
  ['a manager in a TypedStruct without stat_prefix', listener(manager('')), 'NACK'],
  [
    'a listener filter of unknown name without config',
    listener(connectionManager(), { listenerFilters: [{ name: 'nope' }] }),
    'NACK',
  ],
  [
    'a direct source range that is no address',
    {
      name: 'l',
      address,
      filterChains: [
        {
          filters: [connectionManager()],
          filterChainMatch: { directSourcePrefixRanges: [{ addressPrefix: 'x', prefixLen: 8 }] },
        },
      ],
    },
    'NACK',
  ],
  ['a composite filter', filters(composite({ typedConfig: cors }), router), 'ACK'],
  [
    'a composite filter with an unregistered filter in an action',
    filters(composite({ typedConfig: { name: 'nope', typedConfig: unregistered } }), router),
    'NACK',
  ],
  ['a composite filter with an empty action', filters(composite({}), router), 'NACK'],
  ['two routers', filters(router, router), 'NACK'],
  ['a filter of unknown name without config', filters({ name: 'nope' }, router), 'NACK'],
  ['an unregistered HTTP filter', filters({ name: 'nope', typedConfig: unregistered }, router), 'NACK'],
  ['an unregistered network filter', listener({ name: 'nope', typedConfig: unregistered }), 'NACK'],
  ['a network filter of unknown name without config', listener({ name: 'nope' }), 'NACK'],
  ['an inline route to an unknown cluster', listener(inline('unknown')), 'NACK'],
  [
    'an inline route to an unknown cluster without validate_clusters',
    listener(inline('unknown', { validateClusters: false })),
    'ACK',
  ],
  ['an inline route to a known cluster', listener(inline('c')), 'ACK'],
  ['duplicate HTTP filter names', filters(cors, cors, router), 'ACK'],
  [
    'rds with an empty name',
    listener(connectionManager({ rds: { routeConfigName: '', configSource: { ads: {} } } })),
    'ACK',
  ],
  ['xff_num_trusted_hops', listener(connectionManager({ xffNumTrustedHops: 1 })), 'ACK'],
  [
    'an API listener',
    { name: 'l', apiListener: { apiListener: connectionManager().typedConfig } },
    'ACK_IGNORED',
  ],
];

/** Cases with the verdicts of Envoy 1.40.0, by the sections of xds-semantics. */
export const envoyCases = [
  ['V1, V2', CDS.typeUrl, clusters],
  ['V3, V4', EDS.typeUrl, assignments],
  ['V5, V6', RDS.typeUrl, routeConfigs],
  ['V7', LDS.typeUrl, listeners],
] as const;

export const envoyContext: RuleContext = {
  constraints: readEnforcedConstraints(),
  clusters: new Set(['c']),
  subscribedName: 'c',
  isWithoutClient: true,
};
