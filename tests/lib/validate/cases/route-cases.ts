import { RDS } from '@/lib/xds/resource-type';
import { any, fault, faultType, lua, optional, rbac, router, typedStruct } from './any';
import { type Family, mutationsOf, rowsAt } from './mutation';

export const host = 'virtualHosts.0';
export const route = `${host}.routes.0`;
export const match = `${route}.match`;
export const headers = `${match}.headers`;
export const action = `${route}.route`;
export const retry = `${action}.retryPolicy`;
export const hash = `${action}.hashPolicy`;
export const duration = `${action}.maxStreamDuration`;
export const config = `${route}.typedPerFilterConfig`;

export const always = { match: { prefix: '' } };
export const good = { ...always, route: { cluster: 'c' } };
const queryParameters = [{ name: 'q', presentMatch: true }];
export const header = (fields: object) => [{ name: 'x', ...fields }];
export const hashOf = (regexRewrite: object) => [{ header: { headerName: 'x', regexRewrite } }];
export const badHash = hashOf({ pattern: { regex: '(' } });
export const weights = (clusters: object[], fields: object = {}) => ({
  weightedClusters: { clusters, ...fields },
});
/** Weights of the clusters a, b ... */
export const weightsOf = (of: readonly number[], fields?: object) =>
  weights(
    of.map((weight, index) => ({ name: 'ab'[index], weight })),
    fields,
  );
/** An override of the filter f. */
export const override = (typedConfig: object) => ({ f: typedConfig });
export const wrapped = (config?: object, fields: object = {}) =>
  any('envoy.config.route.v3.FilterConfig', { ...(config && { config }), ...fields });
export const rbacPerRoute = 'envoy.extensions.filters.http.rbac.v3.RBACPerRoute';
/** RBAC with a policy that allows everything, and changes of it. */
export const rbacWith = (fields: object) =>
  any(rbacPerRoute, {
    rbac: {
      rules: { policies: { p: { permissions: [{ any: true }], principals: [{ any: true }], ...fields } } },
    },
  });
export const plugin = { extension: { name: 'p', typedConfig: lua } };
const template = 'envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig';
const host2 = (fields: object) => ({ name: 'v2', domains: ['b'], routes: [good], ...fields });

/** The first route may be dropped: the second keeps the virtual host usable (R13a). */
export const routeFamily: Family = {
  typeUrl: RDS.typeUrl,
  base: {
    name: 'rt',
    virtualHosts: [
      { name: 'vh', domains: ['a'], routes: [good, { match: { prefix: '/' }, route: { cluster: 'c' } }] },
    ],
  },
  mutations: mutationsOf([
    ['no name', 'name', undefined, 'g', '2.1'],
    ['no virtual hosts', 'virtualHosts', [], ''],
    ...rowsAt('clusterSpecifierPlugins', [
      ['plugin that is not known', [plugin], 'gj', 'R1'],
      ['plugin that is not known, optional', [{ ...plugin, ...optional }], ''],
      ['plugin without extension', [{}], 'gje', 'R1'],
    ]),
    ...rowsAt(`${host}.domains`, [
      ['no domains', [], 'ce', 'R2'],
      ['an empty domain', [''], 'c', 'R3'],
      ['a star in the middle', ['a*b'], 'cn', 'R3'],
      ['two stars at the ends', ['*foo*'], 'n', 'R3'],
      ['two stars, one in the middle', ['*a*b'], 'n', 'R3'],
      ['a star in the middle and at the end', ['a*b*'], 'n', 'R3'],
      ['a star in the middle, twice', ['a*b*c'], 'cn', 'R3'],
      ['two stars alone', ['**'], 'n', 'R3'],
      ['a star at the start', ['*.foo'], ''],
      ['a star at the end', ['foo.*'], ''],
      ['a star alone', ['*'], ''],
      ['a domain twice in a host', ['a', 'a'], 'e', 'ENVOY-domains'],
    ]),
    ['a domain in two hosts', 'virtualHosts.1', host2({ domains: ['A'] }), 'e', 'ENVOY-domains'],
    ['two hosts', 'virtualHosts.1', host2({}), ''],
    ['a host without name', `${host}.name`, undefined, 'e', 'PGV'],
    [
      'a pseudo-header to add',
      `${host}.requestHeadersToAdd`,
      [{ header: { key: ':path', value: '/' } }],
      'e',
      'ENVOY-headers',
    ],
    [
      'a rewrite by a bad regex',
      `${route}.route.regexRewrite`,
      { pattern: { regex: '[' } },
      'e',
      'ENVOY-rewrite',
    ],
    ['retries 0', retry, { retryOn: 'unavailable', numRetries: 0 }, 'cgn', 'R4'],
    ['retries 0 of a host', `${host}.retryPolicy`, { numRetries: 0 }, 'cgn', 'R4'],
    ...rowsAt(retry, [
      ['retries of 1', { retryOn: 'unavailable', numRetries: 1 }, ''],
      ['retries on what gRPC does not know', { retryOn: '5xx,unavailable' }, '', 'R4'],
      ['back-off without base', { retryBackOff: { maxInterval: '1s' } }, 'cgjne', 'R4'],
      ['back-off of 0', { retryBackOff: { baseInterval: '0s' } }, 'gjne', 'R4'],
      ['back-off negative', { retryBackOff: { baseInterval: '-1s' } }, 'cgjne', 'R4'],
      ['back-off of less than a millisecond', { retryBackOff: { baseInterval: '0.0005s' } }, 'n', 'R4'],
      ['back-off of 25 days', { retryBackOff: { baseInterval: '2147484s' } }, 'n', 'R4'],
      ['back-off with max 0', { retryBackOff: { baseInterval: '1s', maxInterval: '0s' } }, 'gjne', 'R4'],
      [
        'back-off with max negative',
        { retryBackOff: { baseInterval: '1s', maxInterval: '-1s' } },
        'cgjne',
        'R4',
      ],
      ['back-off with max < base', { retryBackOff: { baseInterval: '5s', maxInterval: '1s' } }, 'jne', 'R4'],
      ['back-off with max = base', { retryBackOff: { baseInterval: '5s', maxInterval: '5s' } }, ''],
    ]),
    ...rowsAt(match, [
      ['no match', undefined, 'cgjne', 'R5'],
      ['query parameters', { prefix: '', queryParameters }, '', 'R6'],
      [
        'query parameters and a bad header',
        { prefix: '', queryParameters, headers: header({ containsMatch: 'x' }) },
        'n',
        'R10',
      ],
      ['no path', {}, 'cgjne', 'R7'],
      ['separated prefix', { pathSeparatedPrefix: '/a' }, 'cgjn', 'R7'],
      ['connect matcher', { connectMatcher: {} }, 'cgjn', 'R7'],
      [
        'path template',
        { pathMatchPolicy: { name: 'x', typedConfig: any(template, { pathTemplate: '/a' }) } },
        'cgjn',
        'R7',
      ],
      ['regex', { safeRegex: { regex: '/a/.*' } }, ''],
      ['regex with look-ahead', { safeRegex: { regex: '/(?=a)' } }, 'cgje', 'R8'],
      ['regex repeated too often', { safeRegex: { regex: '(a{100}){100}' } }, 'cge', 'R8'],
      ['regex with any byte', { safeRegex: { regex: '/a\\C' } }, 'gj', 'R8'],
      ['regex with a new name', { safeRegex: { regex: '/(?<n>a)' } }, 'c', 'R8'],
      ['regex with an old name', { safeRegex: { regex: '/(?P<n>a)' } }, ''],
      ['prefix without slash', { prefix: 'a' }, '', 'R9'],
      ['prefix of three parts', { prefix: '/a/b/c' }, '', 'R9'],
      ['path without method', { path: '/a' }, '', 'R9'],
      ['path without method and no header matcher', { path: '/a', headers: header({}) }, 'gj', 'R10'],
      ['path of a method', { path: '/a/b' }, ''],
    ]),
    ...rowsAt(headers, [
      ['header without matcher', header({}), 'cgj', 'R10'],
      ['header without name', [{ exactMatch: 'a' }], 'e', 'PGV'],
      ['header exact', header({ exactMatch: '' }), ''],
      ['header contains', header({ containsMatch: 'a' }), 'gn', 'R10'],
      ['header bad regex', header({ safeRegexMatch: { regex: '[[' } }), 'cgje', 'R10'],
      ['header range', header({ rangeMatch: { start: '1', end: '2' } }), ''],
      ['header range, reversed', header({ rangeMatch: { start: '2', end: '1' } }), 'c', 'R10'],
      ['header empty prefix', header({ prefixMatch: '' }), 'e', 'PGV'],
      ['header present', header({ presentMatch: false }), ''],
      ['header string', header({ stringMatch: { exact: 'x' } }), 'c', 'R10'],
      ['header string, empty prefix', header({ stringMatch: { prefix: '' } }), 'cge', 'R10'],
      ['header string of nothing', header({ stringMatch: {} }), 'cgje', 'R10'],
      ['header string, bad regex', header({ stringMatch: { safeRegex: { regex: '(' } } }), 'cgje', 'R10'],
    ]),
    ['fraction', `${match}.runtimeFraction`, { defaultValue: { numerator: 1, denominator: 'MILLION' } }, ''],
    ['fraction of nothing', `${match}.runtimeFraction`, { defaultValue: {} }, ''],
    ['grpc matcher', `${match}.grpc`, {}, '', 'R11a'],
    ...rowsAt(route, [
      ['redirect', { ...always, redirect: {} }, 'jn', 'R12'],
      ['direct response', { ...always, directResponse: { status: 404 } }, 'jn', 'R12'],
      ['no action', always, 'jne', 'R12'],
      ['non-forwarding action', { ...always, nonForwardingAction: {} }, ''],
    ]),
    ['empty cluster', `${action}.cluster`, '', 'ce', 'R13'],
    ...rowsAt(action, [
      ['no cluster', {}, 'e', 'R13'],
      ['cluster header', { clusterHeader: 'x' }, '', 'R13'],
      ['inline plugin', { inlineClusterSpecifierPlugin: plugin }, 'n', 'R13'],
      ['plugin that is not declared', { clusterSpecifierPlugin: 'p' }, 'gjne', 'R14'],
    ]),
    ['no usable route', `${host}.routes`, [{ ...always, route: { clusterHeader: 'x' } }], 'c', 'R13a'],
    ['no routes', `${host}.routes`, [], 'c', 'R13a'],
    ...rowsAt(action, [
      ['weights of 100', weightsOf([40, 60]), ''],
      ['weights of 10', weightsOf([10]), 'c', 'R15'],
      ['weights of 10 in total', weightsOf([10], { totalWeight: 10 }), ''],
      ['weights that are not the total', weightsOf([100], { totalWeight: 10 }), 'c', 'R15'],
      ['weight 0 of one', weightsOf([100, 0]), '', 'R15'],
      ['weight unset of one', weights([{ name: 'a', weight: 100 }, { name: 'b' }]), 'ce', 'R15'],
      ['weight without name', weights([{ weight: 100 }]), 'ce', 'R15'],
      ['weights of nothing', weightsOf([0]), 'cgjne', 'R15'],
      ['weights empty', weights([]), 'cgjne', 'R15'],
      ['weights too many', weightsOf([4294967295, 101]), 'gjne', 'R15'],
    ]),
    ...rowsAt(duration, [
      ['timeout negative', { maxStreamDuration: '-1s' }, 'ce', 'R16'],
      ['header timeout negative', { grpcTimeoutHeaderMax: '-1s' }, 'ce', 'R16'],
      [
        'timeout negative behind a header timeout',
        { grpcTimeoutHeaderMax: '1s', maxStreamDuration: '-1s' },
        'e',
        'R16',
      ],
      ['timeout 0', { maxStreamDuration: '0s' }, ''],
    ]),
    ...rowsAt(hash, [
      ['hash of a header', hashOf({ pattern: { regex: 'a' }, substitution: 'b' }), ''],
      ['hash with a bad regex', hashOf({ pattern: { regex: '[' } }), 'gje', 'R17'],
      ['hash of a cookie', [{ cookie: { name: 'x' } }], '', 'R17'],
      ['hash of the channel', [{ filterState: { key: 'io.grpc.channel_id' } }], ''],
    ]),
    ...rowsAt(config, [
      ['override of fault', override(fault), ''],
      ['override without filter name', { '': fault }, 'c', 'R18'],
      ['override of a filter that is not known', override(lua), 'cgjn', 'R18'],
      ['override of it, optional', override(wrapped(lua, optional)), ''],
      ['override of it, in a wrapper', override(wrapped(lua)), 'cgjn', 'R18'],
      ['override of fault, in a wrapper', override(wrapped(fault)), 'n', 'R18'],
      ['wrapper of nothing', override(wrapped()), 'cgjne', 'R18'],
      ['wrapper of nothing, optional', override(wrapped(undefined, optional)), 'ne', 'R18'],
      ['override of the router', override(router), 'cgje', 'R18'],
      ['override of RBAC with its own type', override(rbac), 'gjne', 'R18'],
      ['override of RBAC', override(any(rbacPerRoute, {})), 'gn', 'R18'],
      ['override of RBAC with CEL', override(rbacWith({ condition: {} })), 'cgjne', 'A41'],
      ['override of fault in a TypedStruct', override(typedStruct(faultType)), 'cgjn', 'R18'],
    ]),
    ['override of a host', `${host}.typedPerFilterConfig`, override(lua), 'cgjn', 'R18'],
    [
      'override of a weighted cluster',
      action,
      weights([{ name: 'a', weight: 100, typedPerFilterConfig: override(lua) }]),
      'cgjn',
      'R18',
    ],
    [
      'override of a weighted cluster of weight 0',
      action,
      weights([
        { name: 'a', weight: 100 },
        { name: 'b', weight: 0, typedPerFilterConfig: override(lua) },
      ]),
      'jn',
      'R18',
    ],
    [
      'override of a redirect',
      route,
      { ...always, redirect: {}, typedPerFilterConfig: override(lua) },
      'cgjn',
      'R18',
    ],
    [
      'override of a non-forwarding route',
      route,
      { ...always, nonForwardingAction: {}, typedPerFilterConfig: override(lua) },
      'cgj',
      'R18',
    ],
    [
      'override with a status of 17',
      config,
      override(any(faultType, { abort: { grpcStatus: 17, percentage: {} } })),
      'c',
      'A33',
    ],
    ['the same match twice', `${host}.routes.1`, good, '', 'R19'],
  ]),
};
