import { type ListRule, type ListRules, ordered, orderedByKey, unordered } from '../list-rule';

const route = 'envoy.config.route.v3.';

export const headersToAdd = orderedByKey(
  'lines of different header names do not meet; those of one name are added in turn',
  ['header.key'],
);
const namesOfHeaders = unordered('every header that is named is meant, whichever comes first');
const allMustMatch = unordered('all of them must match, so that none comes before another', ['name']);
export const anyMayMatch = unordered('one of them is enough, whichever it is');
const routesInTurn: ListRule = {
  ...ordered('routes are tried one after the other: the first that matches is taken', ['name']),
  like: [['match']],
};
const mirrors = unordered('the request goes to all of them', ['cluster'], ['clusterHeader']);

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
    'the virtual host is chosen by its best matching domain, not by its place',
    ['name'],
    ['domains'],
  ),
  [`${route}RouteConfiguration.internalOnlyHeaders`]: namesOfHeaders,
  [`${route}RouteConfiguration.clusterSpecifierPlugins`]: unordered('routes name the plugin that they use', [
    'extension.name',
  ]),
  [`${route}RouteConfiguration.requestMirrorPolicies`]: mirrors,
  [`${route}VirtualHost.requestMirrorPolicies`]: mirrors,
  [`${route}RouteAction.requestMirrorPolicies`]: mirrors,
  [`${route}VirtualHost.domains`]: unordered(
    'exact, suffix, prefix, then "*": the kind and length of a domain decide, not its place',
  ),
  [`${route}VirtualHost.routes`]: routesInTurn,
  [`${route}RouteList.routes`]: routesInTurn,
  [`${route}VirtualHost.virtualClusters`]: ordered(
    'the first virtual cluster that matches counts the request',
    ['name'],
  ),
  [`${route}WeightedCluster.clusters`]: unordered(
    'a cluster gets its share of the weights, wherever it stands',
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
    ...ordered('hashes are combined in turn, and a terminal policy ends it'),
    like: [['header.headerName'], ['cookie.name'], ['queryParameter.name'], ['filterState.key']],
  },
  [`${route}RouteAction.upgradeConfigs`]: unordered('a request asks for one upgrade by its name', [
    'upgradeType',
  ]),
  [`${route}CorsPolicy.allowOriginStringMatch`]: anyMayMatch,
  'envoy.extensions.filters.http.cors.v3.CorsPolicy.allowOriginStringMatch': anyMayMatch,
  'envoy.type.matcher.v3.ListStringMatcher.patterns': anyMayMatch,
  'envoy.type.matcher.v3.OrMatcher.valueMatchers': anyMayMatch,
  [`${route}RetryPolicy.retriableStatusCodes`]: anyMayMatch,
  [`${route}RetryPolicy.retriableHeaders`]: { ...anyMayMatch, keys: [['name']] },
  [`${route}RetryPolicy.retriableRequestHeaders`]: { ...anyMayMatch, keys: [['name']] },
  [`${route}RetryPolicy.retryHostPredicate`]: unordered('a host is passed over when any of them says so', [
    'name',
  ]),
  [`${route}InternalRedirectPolicy.redirectResponseCodes`]: anyMayMatch,
  [`${route}InternalRedirectPolicy.responseHeadersToCopy`]: namesOfHeaders,
  [`${route}InternalRedirectPolicy.predicates`]: allMustMatch,
  [`${route}Tracing.customTags`]: unordered('a span is given all tags', ['tag']),
  [`${route}ScopedRouteConfiguration.Key.fragments`]: ordered('fragments make up the key in their order'),
};
