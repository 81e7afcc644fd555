import { type ListRule, type ListRules, ordered, unordered } from '../list-rule';
import { headersToAdd } from './route-lists';

const listener = 'envoy.config.listener.v3.';
const manager = 'envoy.extensions.filters.network.http_connection_manager.v3.';
const rbac = 'envoy.config.rbac.v3.';
const tcpProxy = 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';
const filtersInTurn = ordered('filters run one after the other', ['name'], ['typedConfig.@type']);
const matchedSet = unordered('a connection matches if any element matches');
const ranges = unordered('the longest range that contains the address is used, whatever its place', [
  'addressPrefix',
  'prefixLen',
]);
const logs: ListRule = {
  ...unordered('a request is written to every log', ['name']),
  like: [['typedConfig.@type']],
};
const logical = unordered('the result of "and" and "or" does not depend on the order');

export const listenerLists: ListRules = {
  [`${listener}Listener.filterChains`]: {
    ...unordered('the chain with the most specific match is used, whatever its place', ['name']),
    like: [['filterChainMatch']],
  },
  [`${listener}Listener.listenerFilters`]: filtersInTurn,
  [`${listener}FilterChain.filters`]: filtersInTurn,
  [`${listener}Listener.accessLog`]: logs,
  [`${listener}Listener.additionalAddresses`]: unordered('the listener is bound to every address', [
    'address',
  ]),
  [`${listener}Listener.socketOptions`]: ordered('options are set in order; the last one applies', [
    'level',
    'name',
    'state',
  ]),
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
  [`${manager}HttpConnectionManager.upgradeConfigs`]: unordered('an upgrade is identified by its name', [
    'upgradeType',
  ]),
  [`${manager}HttpConnectionManager.Tracing.customTags`]: unordered('all tags are added to a span', ['tag']),
  [`${manager}HttpConnectionManager.InternalAddressConfig.cidrRanges`]: ranges,
  [`${manager}HttpConnectionManager.originalIpDetectionExtensions`]: filtersInTurn,
  [`${manager}HttpConnectionManager.earlyHeaderMutationExtensions`]: filtersInTurn,
  [`${manager}LocalReplyConfig.mappers`]: {
    ...ordered('the first mapper whose filter matches is used'),
    like: [['filter']],
  },
  [`${manager}ResponseMapper.headersToAdd`]: headersToAdd,
  [`${manager}ScopedRouteConfigurationsList.scopedRouteConfigurations`]: unordered(
    'a scope is identified by its key',
    ['name'],
  ),
  [`${tcpProxy}.accessLog`]: logs,
  [`${tcpProxy}.WeightedCluster.clusters`]: unordered('requests are split by weight, whatever the order', [
    'name',
  ]),
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
    ...ordered('the first rule that matches is used'),
    like: [['match']],
  },
  'envoy.extensions.filters.http.jwt_authn.v3.JwtProvider.audiences': matchedSet,
};
