import type { ListRule, ListRules } from '../list-rule';

const route = 'envoy.config.route.v3.';

/** Header lines of one name follow each other; those of different names do not meet. */
export const headersToAdd: ListRule = {
  order: 'within-key',
  keys: [['header.key']],
  reason: 'lines of different header names do not meet; those of one name are added in turn',
};
export const namesOfHeaders: ListRule = {
  order: 'none',
  keys: [],
  reason: 'every header that is named is meant, whichever comes first',
};
const allMustMatch: ListRule = {
  order: 'none',
  keys: [['name']],
  reason: 'all of them must match, so that none comes before another',
};
const anyMayMatch: ListRule = {
  order: 'none',
  keys: [],
  reason: 'one of them is enough, whichever it is',
};
const routesInTurn: ListRule = {
  order: 'all',
  keys: [['name']],
  like: [['match']],
  reason: 'routes are tried one after the other: the first that matches is taken',
};
const mirrors: ListRule = {
  order: 'none',
  keys: [['cluster'], ['clusterHeader']],
  reason: 'the request goes to all of them',
};

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
  [`${route}RouteConfiguration.virtualHosts`]: {
    order: 'none',
    keys: [['name'], ['domains']],
    reason: 'the virtual host is chosen by its best matching domain, not by its place',
  },
  [`${route}RouteConfiguration.internalOnlyHeaders`]: namesOfHeaders,
  [`${route}RouteConfiguration.clusterSpecifierPlugins`]: {
    order: 'none',
    keys: [['extension.name']],
    reason: 'routes name the plugin that they use',
  },
  [`${route}RouteConfiguration.requestMirrorPolicies`]: mirrors,
  [`${route}VirtualHost.requestMirrorPolicies`]: mirrors,
  [`${route}RouteAction.requestMirrorPolicies`]: mirrors,
  [`${route}VirtualHost.domains`]: {
    order: 'none',
    keys: [],
    reason: 'exact, suffix, prefix, then "*": the kind and length of a domain decide, not its place',
  },
  [`${route}VirtualHost.routes`]: routesInTurn,
  [`${route}RouteList.routes`]: routesInTurn,
  [`${route}VirtualHost.virtualClusters`]: {
    order: 'all',
    keys: [['name']],
    reason: 'the first virtual cluster that matches counts the request',
  },
  [`${route}WeightedCluster.clusters`]: {
    order: 'none',
    keys: [['name'], ['clusterHeader']],
    reason: 'a cluster gets its share of the weights, wherever it stands',
  },
  [`${route}RouteMatch.headers`]: allMustMatch,
  [`${route}RouteMatch.queryParameters`]: allMustMatch,
  [`${route}RouteMatch.dynamicMetadata`]: { ...allMustMatch, keys: [['filter', 'path']] },
  [`${route}RouteMatch.filterState`]: { ...allMustMatch, keys: [['key']] },
  [`${route}RouteMatch.cookies`]: allMustMatch,
  [`${route}VirtualCluster.headers`]: allMustMatch,
  [`${route}RateLimit.Action.HeaderValueMatch.headers`]: allMustMatch,
  [`${route}RateLimit.Action.QueryParameterValueMatch.queryParameters`]: allMustMatch,
  'envoy.extensions.filters.http.fault.v3.HTTPFault.headers': allMustMatch,
  [`${route}RateLimit.actions`]: {
    order: 'all',
    keys: [],
    reason: 'each action adds the next entry of the descriptor',
  },
  [`${route}RouteAction.hashPolicy`]: {
    order: 'all',
    keys: [],
    like: [['header.headerName'], ['cookie.name'], ['queryParameter.name'], ['filterState.key']],
    reason: 'hashes are combined in turn, and a terminal policy ends it',
  },
  [`${route}RouteAction.upgradeConfigs`]: {
    order: 'none',
    keys: [['upgradeType']],
    reason: 'a request asks for one upgrade by its name',
  },
  [`${route}CorsPolicy.allowOriginStringMatch`]: anyMayMatch,
  'envoy.extensions.filters.http.cors.v3.CorsPolicy.allowOriginStringMatch': anyMayMatch,
  'envoy.type.matcher.v3.ListStringMatcher.patterns': anyMayMatch,
  'envoy.type.matcher.v3.OrMatcher.valueMatchers': anyMayMatch,
  [`${route}RetryPolicy.retriableStatusCodes`]: anyMayMatch,
  [`${route}RetryPolicy.retriableHeaders`]: { ...anyMayMatch, keys: [['name']] },
  [`${route}RetryPolicy.retriableRequestHeaders`]: { ...anyMayMatch, keys: [['name']] },
  [`${route}RetryPolicy.retryHostPredicate`]: {
    order: 'none',
    keys: [['name']],
    reason: 'a host is passed over when any of them says so',
  },
  [`${route}InternalRedirectPolicy.redirectResponseCodes`]: anyMayMatch,
  [`${route}InternalRedirectPolicy.responseHeadersToCopy`]: namesOfHeaders,
  [`${route}InternalRedirectPolicy.predicates`]: allMustMatch,
  [`${route}Tracing.customTags`]: { order: 'none', keys: [['tag']], reason: 'a span is given all tags' },
  [`${route}ScopedRouteConfiguration.Key.fragments`]: {
    order: 'all',
    keys: [],
    reason: 'fragments make up the key in their order',
  },
};
