import { type ListRule, type ListRules, ordered, orderedByKey, unordered } from '../list-rule';

const route = 'envoy.config.route.v3.';

export const headersToAdd = orderedByKey(
  'values of one header are added in order; different headers are independent',
  ['header.key'],
);
const namesOfHeaders = unordered('every listed header is affected');
const allMustMatch = unordered('all elements must match', ['name']);
export const anyMayMatch = unordered('any one of the elements is sufficient');
const routesInTurn: ListRule = {
  ...ordered('the first route that matches is used', ['name']),
  like: [['match']],
};
const mirrors = unordered('a request is mirrored to all of them', ['cluster'], ['clusterHeader']);

function headerLists(message: string): ListRules {
  return {
    [`${message}.requestHeadersToAdd`]: headersToAdd,
    [`${message}.responseHeadersToAdd`]: headersToAdd,
    [`${message}.requestHeadersToRemove`]: namesOfHeaders,
    [`${message}.responseHeadersToRemove`]: namesOfHeaders,
  };
}

export const routeLists: ListRules = {
  ...headerLists(`${route}RouteConfiguration`),
  ...headerLists(`${route}VirtualHost`),
  ...headerLists(`${route}Route`),
  ...headerLists(`${route}WeightedCluster.ClusterWeight`),
  [`${route}RouteConfiguration.virtualHosts`]: unordered(
    'the virtual host with the best matching domain is used, whatever its place',
    ['name'],
    ['domains'],
  ),
  [`${route}RouteConfiguration.internalOnlyHeaders`]: namesOfHeaders,
  [`${route}RouteConfiguration.clusterSpecifierPlugins`]: unordered('routes refer to plugins by name', [
    'extension.name',
  ]),
  [`${route}RouteConfiguration.requestMirrorPolicies`]: mirrors,
  [`${route}VirtualHost.requestMirrorPolicies`]: mirrors,
  [`${route}RouteAction.requestMirrorPolicies`]: mirrors,
  [`${route}VirtualHost.domains`]: unordered(
    'the best match is used, whatever its place: exact, suffix, prefix, then "*"',
  ),
  [`${route}VirtualHost.routes`]: routesInTurn,
  [`${route}RouteList.routes`]: routesInTurn,
  [`${route}VirtualHost.virtualClusters`]: ordered(
    'a request counts for the first virtual cluster that matches',
    ['name'],
  ),
  [`${route}WeightedCluster.clusters`]: unordered(
    'requests are split by weight, whatever the order',
    ['name'],
    ['clusterHeader'],
  ),
  [`${route}RouteMatch.headers`]: allMustMatch,
  [`${route}RouteMatch.queryParameters`]: allMustMatch,
  [`${route}RouteMatch.dynamicMetadata`]: { ...allMustMatch, keys: [['filter', 'path']] },
  [`${route}RouteMatch.filterState`]: { ...allMustMatch, keys: [['key']] },
  [`${route}RouteMatch.cookies`]: allMustMatch,
  [`${route}VirtualCluster.headers`]: allMustMatch,
  [`${route}RateLimit.Action.HeaderValueMatch.headers`]: allMustMatch,
  [`${route}RateLimit.Action.QueryParameterValueMatch.queryParameters`]: allMustMatch,
  'envoy.extensions.filters.http.fault.v3.HTTPFault.headers': allMustMatch,
  [`${route}RateLimit.actions`]: ordered('each action adds the next entry of the descriptor'),
  [`${route}RouteAction.hashPolicy`]: {
    ...ordered('hashes are combined in order, up to a terminal policy'),
    like: [['header.headerName'], ['cookie.name'], ['queryParameter.name'], ['filterState.key']],
  },
  [`${route}RouteAction.upgradeConfigs`]: unordered('an upgrade is identified by its name', ['upgradeType']),
  [`${route}CorsPolicy.allowOriginStringMatch`]: anyMayMatch,
  'envoy.extensions.filters.http.cors.v3.CorsPolicy.allowOriginStringMatch': anyMayMatch,
  'envoy.type.matcher.v3.ListStringMatcher.patterns': anyMayMatch,
  'envoy.type.matcher.v3.OrMatcher.valueMatchers': anyMayMatch,
  [`${route}RetryPolicy.retriableStatusCodes`]: anyMayMatch,
  [`${route}RetryPolicy.retriableHeaders`]: { ...anyMayMatch, keys: [['name']] },
  [`${route}RetryPolicy.retriableRequestHeaders`]: { ...anyMayMatch, keys: [['name']] },
  [`${route}RetryPolicy.retryHostPredicate`]: unordered('a host is skipped if any predicate rejects it', [
    'name',
  ]),
  [`${route}InternalRedirectPolicy.redirectResponseCodes`]: anyMayMatch,
  [`${route}InternalRedirectPolicy.responseHeadersToCopy`]: namesOfHeaders,
  [`${route}InternalRedirectPolicy.predicates`]: allMustMatch,
  [`${route}Tracing.customTags`]: unordered('all tags are added to a span', ['tag']),
  [`${route}ScopedRouteConfiguration.Key.fragments`]: ordered(
    'the key consists of the fragments in their order',
  ),
};
