import type { ListRule, ListRules } from '../list-rule';
import { headersToAdd } from './route-lists';

const listener = 'envoy.config.listener.v3.';
const manager = 'envoy.extensions.filters.network.http_connection_manager.v3.';
const rbac = 'envoy.config.rbac.v3.';
const tcpProxy = 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';

const filtersInTurn: ListRule = {
  order: 'all',
  keys: [['name'], ['typedConfig.@type']],
  reason: 'filters run one after the other',
};
const matchedSet: ListRule = {
  order: 'none',
  keys: [],
  reason: 'a connection matches when any of them does',
};
const ranges: ListRule = {
  order: 'none',
  keys: [['addressPrefix', 'prefixLen']],
  reason: 'the longest range that holds the address decides, wherever it stands',
};
const logs: ListRule = {
  order: 'none',
  keys: [['name']],
  like: [['typedConfig.@type']],
  reason: 'a request is written to every log',
};
const logical: ListRule = {
  order: 'none',
  keys: [],
  reason: 'the outcome of "and" and "or" is the same in any order',
};

export const listenerLists: ListRules = {
  [`${listener}Listener.filterChains`]: {
    order: 'none',
    keys: [['name']],
    like: [['filterChainMatch']],
    reason: 'the chain with the most specific match is taken, wherever it stands',
  },
  [`${listener}Listener.listenerFilters`]: filtersInTurn,
  [`${listener}FilterChain.filters`]: filtersInTurn,
  [`${listener}Listener.accessLog`]: logs,
  [`${listener}Listener.additionalAddresses`]: {
    order: 'none',
    keys: [['address']],
    reason: 'the listener is bound to every address',
  },
  [`${listener}Listener.socketOptions`]: {
    order: 'all',
    keys: [['level', 'name', 'state']],
    reason: 'options are set in turn: the last one holds',
  },
  [`${listener}FilterChainMatch.prefixRanges`]: ranges,
  [`${listener}FilterChainMatch.directSourcePrefixRanges`]: ranges,
  [`${listener}FilterChainMatch.sourcePrefixRanges`]: ranges,
  [`${listener}FilterChainMatch.sourcePorts`]: matchedSet,
  [`${listener}FilterChainMatch.serverNames`]: matchedSet,
  [`${listener}FilterChainMatch.applicationProtocols`]: matchedSet,
  [`${listener}ListenerFilterChainMatchPredicate.MatchSet.rules`]: logical,
  [`${manager}HttpConnectionManager.httpFilters`]: filtersInTurn,
  [`${manager}HttpConnectionManager.UpgradeConfig.filters`]: filtersInTurn,
  [`${manager}HttpConnectionManager.accessLog`]: logs,
  [`${manager}HttpConnectionManager.upgradeConfigs`]: {
    order: 'none',
    keys: [['upgradeType']],
    reason: 'a request asks for one upgrade by its name',
  },
  [`${manager}HttpConnectionManager.Tracing.customTags`]: {
    order: 'none',
    keys: [['tag']],
    reason: 'a span is given all tags',
  },
  [`${manager}HttpConnectionManager.InternalAddressConfig.cidrRanges`]: ranges,
  [`${manager}HttpConnectionManager.originalIpDetectionExtensions`]: filtersInTurn,
  [`${manager}HttpConnectionManager.earlyHeaderMutationExtensions`]: filtersInTurn,
  [`${manager}LocalReplyConfig.mappers`]: {
    order: 'all',
    keys: [],
    like: [['filter']],
    reason: 'the first mapper whose filter matches is used',
  },
  [`${manager}ResponseMapper.headersToAdd`]: headersToAdd,
  [`${manager}ScopedRouteConfigurationsList.scopedRouteConfigurations`]: {
    order: 'none',
    keys: [['name']],
    reason: 'a scope is chosen by its key',
  },
  [`${tcpProxy}.accessLog`]: logs,
  [`${tcpProxy}.WeightedCluster.clusters`]: {
    order: 'none',
    keys: [['name']],
    reason: 'a cluster gets its share of the weights, wherever it stands',
  },
  [`${tcpProxy}.TunnelingConfig.headersToAdd`]: headersToAdd,
  'envoy.config.accesslog.v3.AndFilter.filters': logical,
  'envoy.config.accesslog.v3.OrFilter.filters': logical,
  'envoy.config.accesslog.v3.ResponseFlagFilter.flags': logical,
  'envoy.config.accesslog.v3.GrpcStatusFilter.statuses': logical,
  [`${rbac}Policy.permissions`]: logical,
  [`${rbac}Policy.principals`]: logical,
  [`${rbac}Permission.Set.rules`]: logical,
  [`${rbac}Principal.Set.ids`]: logical,
  'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication.rules': {
    order: 'all',
    keys: [],
    like: [['match']],
    reason: 'rules are tried one after the other: the first that matches is taken',
  },
  'envoy.extensions.filters.http.jwt_authn.v3.JwtProvider.audiences': matchedSet,
};
