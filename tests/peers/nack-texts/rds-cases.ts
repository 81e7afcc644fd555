import { RDS } from '@/lib/xds/resource-type';
import { any, casesOf, garbage, unknown, unknownCause } from './case';

const of = casesOf(RDS, 'routes');
const required = 'value is required';
const good = { match: { prefix: '/good' }, route: { cluster: 'plain' } };
const bad = 'virtualHosts[1].routes[1]';

const host = (change: object) => ({
  name: 'routes',
  virtualHosts: [
    { name: 'first', domains: ['first.test'], routes: [good] },
    { name: 'second', domains: ['second.test'], routes: [good], ...change },
  ],
});
const route = (change: object) =>
  host({ routes: [good, { match: { prefix: '/' }, route: { cluster: 'plain' }, ...change }] });
const match = (change: object) => route({ match: { prefix: '/', ...change } });
const action = (change: object) => route({ route: { cluster: 'plain', ...change } });

export const rdsCases = [
  of('route without match', route({ match: undefined }), `${bad}.match`, required),
  of('match without path', route({ match: {} }), `${bad}.match.pathSpecifier`, 'is required'),
  of('no domains', host({ domains: [] }), 'virtualHosts[1].domains', 'value must contain at least 1 item(s)'),
  of(
    'virtual host without name',
    host({ name: '' }),
    'virtualHosts[1].name',
    'value length must be at least 1 characters',
  ),
  of('no cluster specifier', route({ route: {} }), `${bad}.route.clusterSpecifier`, 'is required'),
  of('route without action', route({ route: undefined }), `${bad}.action`, 'is required'),
  of(
    'runtime fraction without default',
    match({ runtimeFraction: { runtimeKey: 'k' } }),
    `${bad}.match.runtimeFraction.defaultValue`,
    required,
  ),
  of(
    'header matcher without name',
    match({ headers: [{ name: 'x', presentMatch: true }, { presentMatch: true }] }),
    `${bad}.match.headers[1].name`,
    'value length must be at least 1 characters',
  ),
  of(
    'invalid regex of a path',
    route({ match: { safeRegex: { regex: '[[' } } }),
    `${bad}.match.safeRegex.regex`,
    'missing ]: [[',
  ),
  of(
    'invalid regex of a header',
    match({ headers: [{ name: 'x', stringMatch: { safeRegex: { regex: 'a(b' } } }] }),
    `${bad}.match.headers[0].stringMatch.safeRegex.regex`,
    'missing ): a(b',
  ),
  of(
    'invalid regex of a query parameter',
    match({ queryParameters: [{ name: 'q', stringMatch: { safeRegex: { regex: '*' } } }] }),
    `${bad}.match.queryParameters[0].stringMatch.safeRegex.regex`,
    'no argument for repetition operator: *',
  ),
  of(
    'path prefix with trailing slash',
    route({ match: { pathSeparatedPrefix: '/a/' } }),
    `${bad}.match.pathSeparatedPrefix`,
    'value does not match regex pattern "^[^?#]+[^?#/]$"',
  ),
  of(
    'weights of 0',
    route({ route: { weightedClusters: { clusters: [{ name: 'plain', weight: 0 }] } } }),
    `${bad}.route.weightedClusters`,
    'Sum of weights in the weighted_cluster must be greater than 0.',
  ),
  of(
    'weights above the maximum',
    route({
      route: {
        weightedClusters: {
          clusters: [
            { name: 'plain', weight: 4294967295 },
            { name: 'plain', weight: 2 },
          ],
        },
      },
    }),
    `${bad}.route.weightedClusters`,
    'The sum of weights of all weighted clusters of route  exceeds 4294967295',
  ),
  of(
    'no weighted clusters',
    route({ route: { weightedClusters: {} } }),
    `${bad}.route.weightedClusters.clusters`,
    'value must contain at least 1 item(s)',
  ),
  of(
    'maximum interval below the base interval',
    action({ retryPolicy: { retryOn: '5xx', retryBackOff: { baseInterval: '5s', maxInterval: '1s' } } }),
    `${bad}.route.retryPolicy.retryBackOff.maxInterval`,
    'retry_policy.max_interval must greater than or equal to the base_interval',
  ),
  of(
    'back-off without base interval',
    action({ retryPolicy: { retryBackOff: { maxInterval: '1s' } } }),
    `${bad}.route.retryPolicy.retryBackOff.baseInterval`,
    required,
  ),
  of(
    'base interval of 0',
    action({ retryPolicy: { retryBackOff: { baseInterval: '0s' } } }),
    `${bad}.route.retryPolicy.retryBackOff.baseInterval`,
    'value must be greater than 0s',
  ),
  of(
    'unknown retry host predicate',
    action({
      retryPolicy: { retryHostPredicate: [unknown('predicate')] },
    }),
    `${bad}.route.retryPolicy.retryHostPredicate[0]`,
    unknownCause('predicate'),
  ),
  of(
    'negative timeout',
    action({ timeout: '-1s' }),
    `${bad}.route.timeout`,
    'Invalid duration: Expected positive duration: seconds: -1',
  ),
  of(
    'negative maximum stream duration',
    action({ maxStreamDuration: { maxStreamDuration: '-2s' } }),
    `${bad}.route.maxStreamDuration.maxStreamDuration`,
    'Invalid duration: Expected positive duration: seconds: -2',
  ),
  of(
    'filter config of undecodable bytes',
    route({
      typedPerFilterConfig: {
        'envoy.filters.http.fault': garbage('envoy.extensions.filters.http.fault.v3.HTTPFault'),
      },
    }),
    `${bad}.typedPerFilterConfig["envoy.filters.http.fault"]`,
    'Unable to unpack as envoy.extensions.filters.http.fault.v3.HTTPFault',
  ),
  of(
    'filter config of an unknown filter',
    route({ typedPerFilterConfig: { 'acme.filter': unknown('filter').typedConfig } }),
    `${bad}.typedPerFilterConfig["acme.filter"]`,
    unknownCause('filter'),
  ),
  of(
    'filter config of a virtual host that violates a constraint',
    host({
      typedPerFilterConfig: {
        'envoy.filters.http.buffer': any('envoy.extensions.filters.http.buffer.v3.BufferPerRoute'),
      },
    }),
    'virtualHosts[1].typedPerFilterConfig["envoy.filters.http.buffer"].override',
    'is required',
  ),
  of(
    'duplicate domain',
    host({ domains: ['second.test', 'first.test'] }),
    'virtualHosts[1].domains[1]',
    'Only unique values for domains are permitted. Duplicate entry of domain first.test in route routes',
  ),
  of(
    'two wildcard domains',
    {
      name: 'routes',
      virtualHosts: [
        { name: 'first', domains: ['*'], routes: [good] },
        { name: 'second', domains: ['*'], routes: [good] },
      ],
    },
    'virtualHosts[1].domains[0]',
    'Only a single wildcard domain is permitted in route routes',
  ),
  of(
    'status of a direct response',
    route({ route: undefined, directResponse: { status: 99 } }),
    `${bad}.directResponse.status`,
    'value must be inside range [200, 600)',
  ),
  of(
    'missing file of a direct response',
    route({ route: undefined, directResponse: { status: 200, body: { filename: '/nowhere/body' } } }),
    `${bad}.directResponse.body.filename`,
    'file /nowhere/body does not exist',
  ),
  of(
    'hash policy without specifier',
    action({ hashPolicy: [{}] }),
    `${bad}.route.hashPolicy[0].policySpecifier`,
    'is required',
  ),
  of(
    'hash policy with an unnamed cookie',
    action({ hashPolicy: [{ cookie: { ttl: '1s' } }] }),
    `${bad}.route.hashPolicy[0].cookie.name`,
    'value length must be at least 1 characters',
  ),
  of(
    'added header without header',
    route({ requestHeadersToAdd: [{}] }),
    `${bad}.requestHeadersToAdd[0].header`,
    required,
  ),
  of(
    'added header without key',
    route({ requestHeadersToAdd: [{ header: { value: 'v' } }] }),
    `${bad}.requestHeadersToAdd[0].header.key`,
    'value length must be at least 1 characters',
  ),
  of(
    'added header with an unknown command',
    route({ responseHeadersToAdd: [{ header: { key: 'x', value: '%NOPE%' } }] }),
    `${bad}.responseHeadersToAdd[0].header.value`,
    'Not supported field in StreamInfo: NOPE',
  ),
  of(
    'added header that is a pseudo header',
    route({ requestHeadersToAdd: [{ header: { key: ':path', value: '/' } }] }),
    `${bad}.requestHeadersToAdd[0].header.key`,
    ':-prefixed or host headers may not be modified',
  ),
  of(
    'removed header that is a pseudo header',
    route({ requestHeadersToRemove: [':path'] }),
    `${bad}.requestHeadersToRemove[0]`,
    ':-prefixed or host headers may not be removed',
  ),
  of(
    'rate limit without actions',
    action({ rateLimits: [{}] }),
    `${bad}.route.rateLimits[0].actions`,
    'value must contain at least 1 item(s)',
  ),
  of(
    'duplicate upgrade',
    action({ upgradeConfigs: [{ upgradeType: 'websocket' }, { upgradeType: 'websocket' }] }),
    `${bad}.route.upgradeConfigs[1].upgradeType`,
    'Duplicate upgrade websocket',
  ),
  of(
    'two rewrites',
    action({ prefixRewrite: '/x', regexRewrite: { pattern: { regex: 'a' }, substitution: 'b' } }),
    `${bad}.route`,
    'Specify only one of prefix_rewrite, regex_rewrite or path_rewrite_policy',
  ),
  of(
    'unknown cluster',
    { ...route({ route: { cluster: 'nowhere' } }), validateClusters: true },
    `${bad}.route.cluster`,
    "route: unknown cluster 'nowhere'",
  ),
  of(
    'unknown weighted cluster',
    {
      ...route({
        route: {
          weightedClusters: {
            clusters: [
              { name: 'plain', weight: 1 },
              { name: 'nowhere', weight: 1 },
            ],
          },
        },
      }),
      validateClusters: true,
    },
    `${bad}.route.weightedClusters.clusters[1].name`,
    "route: unknown weighted cluster 'nowhere'",
  ),
  of(
    'unknown mirror cluster',
    { ...action({ requestMirrorPolicies: [{ cluster: 'nowhere' }] }), validateClusters: true },
    `${bad}.route.requestMirrorPolicies[0].cluster`,
    "route: unknown shadow cluster 'nowhere'",
  ),
  of(
    'undefined enum value',
    action({ clusterNotFoundResponseCode: 77 }),
    `${bad}.route.clusterNotFoundResponseCode`,
    'value must be one of the defined enum values',
  ),
  of('undecodable bytes', route({}), '', 'Unable to unpack as envoy.config.route.v3.RouteConfiguration', {
    isUndecodable: true,
  }),
];
