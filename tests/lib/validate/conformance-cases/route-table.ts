import { any, fault, lua, router, typedStruct } from '../cases/any';
import { routeFamily } from '../cases/route-cases';
import { type ConformanceRow, type ConformanceTable, foreignHost, garbage } from './conformance-case';

const host = 'virtualHosts.0';
const route = `${host}.routes.0`;
const match = `${route}.match`;
const action = `${route}.route`;
const weights = (...clusters: object[]) => ({ weightedClusters: { clusters } });
const wrapped = (config: unknown, fields: object = {}) =>
  any('envoy.config.route.v3.FilterConfig', { ...(config === undefined ? {} : { config }), ...fields });
const faultType = 'envoy.extensions.filters.http.fault.v3.HTTPFault';
const rbacType = 'envoy.extensions.filters.http.rbac.v3.RBACPerRoute';
const header = (fields: object) => [{ name: 'x', ...fields }];
const override = (config: unknown) => ({ f: config });

const domains = [
  'foo',
  '*',
  '**',
  '*foo',
  'foo*',
  '*.foo.*',
  'f*o',
  '*f*o',
  ' ',
  'FOO',
  'foo:80',
  '[::1]',
  '.*',
  '*.',
  'ä',
];
const regexes = [
  '',
  '.*',
  '(',
  ')',
  '[',
  'a{1001}',
  'a{1000}',
  'a**',
  '\\',
  '\\d',
  '\\C',
  '(?i)a',
  '(?=a)',
  '\\1',
  '\\pN',
  '\\p{Greek}',
  '\\p{Nope}',
  '\\Qa',
  '(?P<n>a)',
  '(?<n>a)',
  'a++',
  '[[:alpha:]]',
  '[[:nope:]]',
  '\\x{110000}',
  '(?s).',
  '\\z',
  '\\Z',
  '\u0000',
  'é',
  '(a|b',
  '{',
  'a{2,1}',
  '[z-a]',
  '\\h',
  '(?#x)',
  '^*',
];
const prefixes = ['', '/', '//', '/a', '/a/', '/a//', '/a/b', '/a/b/', 'a', 'a/b', ' /a', '/ä/b'];
const paths = ['', '/', '//', '/a', '/a/', '/a/b', '/a/b/', '/a/b/c', 'a/b', '//b'];
const intervals: readonly [label: string, value: unknown][] = [
  ['0', '0s'],
  ['1 ns', '0.000000001s'],
  ['999 us', '0.000999s'],
  ['1 ms', '0.001s'],
  ['-1 ns', { nanos: -1 }],
  ['-1 s', '-1s'],
  ['the most', '315576000000s'],
  ['too long', { seconds: '315576000001' }],
  ['too many nanos', { nanos: 1000000000 }],
  ['1 s and -1 ns', { seconds: '1', nanos: -1 }],
];

const rows: ConformanceRow[] = [
  ...domains.map((domain) => [`domain ${JSON.stringify(domain)}`, `${host}.domains`, [domain]] as const),
  ['a good domain, then an empty one', `${host}.domains`, ['a', '']],
  [
    'two hosts with "*"',
    `${host}.domains`,
    ['*'],
    'virtualHosts.1',
    { name: 'w', domains: ['*'], routes: [{ match: { prefix: '' }, route: { cluster: 'c' } }] },
  ],
  [
    'a second host without domains',
    'virtualHosts.1',
    { name: 'w', domains: [], routes: [{ match: { prefix: '' }, route: { cluster: 'c' } }] },
  ],
  ['a second host without routes', 'virtualHosts.1', { name: 'w', domains: ['w'] }],
  ['a host of nothing', 'virtualHosts.1', {}],
  [
    'the same name of two hosts',
    'virtualHosts.1',
    { name: 'vh', domains: ['w'], routes: [{ match: { prefix: '' }, route: { cluster: 'c' } }] },
  ],
  ...regexes.map((regex) => [`regex ${JSON.stringify(regex)}`, match, { safeRegex: { regex } }] as const),
  ['regex of nothing', match, { safeRegex: {} }],
  ['regex with a program size', match, { safeRegex: { regex: 'a', googleRe2: { maxProgramSize: 1 } } }],
  ...prefixes.map(
    (prefix) =>
      [`prefix ${JSON.stringify(prefix)} with a bad header`, match, { prefix, headers: header({}) }] as const,
  ),
  ...paths.map(
    (path) =>
      [`path ${JSON.stringify(path)} with a bad header`, match, { path, headers: header({}) }] as const,
  ),
  ['separated prefix with a bad header', match, { pathSeparatedPrefix: '/a', headers: header({}) }],
  ['query parameters and no path', match, { queryParameters: [{ name: 'q' }] }],
  ['query parameters and no action', route, { match: { prefix: '', queryParameters: [{ name: 'q' }] } }],
  [
    'query parameters and a redirect',
    route,
    { match: { prefix: '', queryParameters: [{ name: 'q' }] }, redirect: {} },
  ],
  [
    'query parameters and bad weights',
    route,
    { match: { prefix: '', queryParameters: [{ name: 'q' }] }, route: weights() },
  ],
  [
    'query parameters and a bad override',
    route,
    {
      match: { prefix: '', queryParameters: [{ name: 'q' }] },
      route: { cluster: 'c' },
      typedPerFilterConfig: override(lua),
    },
  ],
  [
    'all routes with query parameters',
    `${host}.routes`,
    [{ match: { prefix: '', queryParameters: [{ name: 'q' }] }, route: { cluster: 'c' } }],
  ],
  ['all routes without a slash', `${host}.routes`, [{ match: { prefix: 'a' }, route: { cluster: 'c' } }]],
  ['all routes redirect', `${host}.routes`, [{ match: { prefix: '' }, redirect: {} }]],
  ['all routes non-forwarding', `${host}.routes`, [{ match: { prefix: '' }, nonForwardingAction: {} }]],
  ['a route of nothing', `${host}.routes.0`, {}],
  ['case insensitive', `${match}.caseSensitive`, false],
  ['fraction without default', `${match}.runtimeFraction`, {}],
  [
    'fraction of an unknown denominator',
    `${match}.runtimeFraction`,
    { defaultValue: { numerator: 1, denominator: 9 } },
  ],
  ['fraction of 101 %', `${match}.runtimeFraction`, { defaultValue: { numerator: 101 } }],
  ['fraction of 4294967295 %', `${match}.runtimeFraction`, { defaultValue: { numerator: 4294967295 } }],
  ['fraction with a key alone', `${match}.runtimeFraction`, { runtimeKey: 'k' }],
  ['TLS context', `${match}.tlsContext`, { presented: true }],
  [
    'dynamic metadata',
    `${match}.dynamicMetadata`,
    [{ filter: 'x', path: [{ key: 'k' }], value: { presentMatch: true } }],
  ],
  ['header of an unknown name', `${match}.headers`, [{ name: 'ä', exactMatch: 'x' }]],
  ['header :authority', `${match}.headers`, [{ name: ':authority', exactMatch: 'x' }]],
  ['header grpc-', `${match}.headers`, [{ name: 'grpc-x', exactMatch: 'x' }]],
  ['header -bin', `${match}.headers`, [{ name: 'x-bin', exactMatch: 'x' }]],
  ['header with invert alone', `${match}.headers`, header({ invertMatch: true })],
  [
    'header with treat missing as empty',
    `${match}.headers`,
    header({ exactMatch: 'x', treatMissingHeaderAsEmpty: true }),
  ],
  ['header suffix, empty', `${match}.headers`, header({ suffixMatch: '' })],
  ['header contains, empty', `${match}.headers`, header({ containsMatch: '' })],
  ['header regex, empty', `${match}.headers`, header({ safeRegexMatch: {} })],
  ['header range of nothing', `${match}.headers`, header({ rangeMatch: {} })],
  ['header range of one', `${match}.headers`, header({ rangeMatch: { start: '1', end: '1' } })],
  ['header range with negatives', `${match}.headers`, header({ rangeMatch: { start: '-5', end: '-1' } })],
  [
    'header range at the most',
    `${match}.headers`,
    header({ rangeMatch: { start: '-9223372036854775808', end: '9223372036854775807' } }),
  ],
  ['header present: true', `${match}.headers`, header({ presentMatch: true })],
  [
    'header string regex that ignores case',
    `${match}.headers`,
    header({ stringMatch: { safeRegex: { regex: 'a' }, ignoreCase: true } }),
  ],
  [
    'two header matchers, the second bad',
    `${match}.headers`,
    [{ name: 'x', exactMatch: 'x' }, { name: 'y' }],
  ],
  ['filter action', route, { match: { prefix: '' }, filterAction: {} }],
  [
    'redirect with a bad retry policy of the host',
    `${host}.retryPolicy`,
    { numRetries: 0 },
    `${route}`,
    { match: { prefix: '' }, nonForwardingAction: {} },
  ],
  [
    'inline plugin, unknown',
    action,
    { inlineClusterSpecifierPlugin: { extension: { name: 'p', typedConfig: lua } } },
  ],
  ['cluster header with bad retries', action, { clusterHeader: 'x', retryPolicy: { numRetries: 0 } }],
  [
    'cluster header with a bad override',
    route,
    { match: { prefix: '' }, route: { clusterHeader: 'x' }, typedPerFilterConfig: override(lua) },
  ],
  [
    'cluster header with a bad hash',
    action,
    {
      clusterHeader: 'x',
      hashPolicy: [{ header: { headerName: 'x', regexRewrite: { pattern: { regex: '(' } } } }],
    },
  ],
  [
    'cluster header with a bad timeout',
    action,
    { clusterHeader: 'x', maxStreamDuration: { maxStreamDuration: '-1s' } },
  ],
  ['no cluster with a bad timeout', action, { maxStreamDuration: { maxStreamDuration: '-1s' } }],
  [
    'no cluster with a bad hash',
    action,
    { hashPolicy: [{ header: { headerName: 'x', regexRewrite: { pattern: { regex: '(' } } } }] },
  ],
  ['empty cluster header', action, { clusterHeader: '' }],
  [
    'plugin, declared and optional',
    'clusterSpecifierPlugins',
    [{ extension: { name: 'p', typedConfig: lua }, isOptional: true }],
    action,
    { clusterSpecifierPlugin: 'p' },
  ],
  [
    'plugin, declared twice',
    'clusterSpecifierPlugins',
    [
      { extension: { name: 'p', typedConfig: lua }, isOptional: true },
      { extension: { name: 'p', typedConfig: lua }, isOptional: true },
    ],
  ],
  ['plugin without name', action, { clusterSpecifierPlugin: '' }],
  [
    'weights that sum to the most',
    action,
    weights({ name: 'a', weight: 4294967195 }, { name: 'b', weight: 100 }),
  ],
  [
    'weights that sum to the most, with its total',
    action,
    { weightedClusters: { clusters: [{ name: 'a', weight: 4294967295 }], totalWeight: 4294967295 } },
  ],
  [
    'weights one beyond the most',
    action,
    weights({ name: 'a', weight: 4294967295 }, { name: 'b', weight: 1 }),
  ],
  [
    'weights of 100 after an overflow',
    action,
    weights({ name: 'a', weight: 4294967295 }, { name: 'b', weight: 101 }),
  ],
  ['weights 0 and 100', action, weights({ name: 'a', weight: 0 }, { name: 'b', weight: 100 })],
  [
    'weights with a total of 0',
    action,
    { weightedClusters: { clusters: [{ name: 'a', weight: 100 }], totalWeight: 0 } },
  ],
  [
    'weights 0 with a total of 0',
    action,
    { weightedClusters: { clusters: [{ name: 'a', weight: 0 }], totalWeight: 0 } },
  ],
  ['weights with one cluster twice', action, weights({ name: 'a', weight: 50 }, { name: 'a', weight: 50 })],
  ['weights by header', action, weights({ clusterHeader: 'x', weight: 100 })],
  [
    'weights with a random value header',
    action,
    { weightedClusters: { clusters: [{ name: 'a', weight: 100 }], headerName: 'x' } },
  ],
  ['weights with a nameless cluster of weight 0', action, weights({ name: 'a', weight: 100 }, { weight: 0 })],
  [
    'weights with a bad override',
    action,
    weights({ name: 'a', weight: 100, typedPerFilterConfig: override(garbage(faultType)) }),
  ],
  ...intervals.flatMap(([label, value]) => [
    [`timeout of ${label}`, `${action}.maxStreamDuration`, { maxStreamDuration: value }] as const,
    [`header timeout ${label}`, `${action}.maxStreamDuration`, { grpcTimeoutHeaderMax: value }] as const,
    [
      `retry base ${label}`,
      `${action}.retryPolicy`,
      { retryOn: 'unavailable', retryBackOff: { baseInterval: value } },
    ] as const,
    [
      `retry max ${label}`,
      `${action}.retryPolicy`,
      { retryOn: 'unavailable', retryBackOff: { baseInterval: '0.5s', maxInterval: value } },
    ] as const,
  ]),
  ['timeout of the route', `${action}.timeout`, '-1s'],
  ['header timeout offset negative', `${action}.maxStreamDuration`, { grpcTimeoutHeaderOffset: '-1s' }],
  ['timeouts of nothing', `${action}.maxStreamDuration`, {}],
  ['retry policy of nothing', `${action}.retryPolicy`, {}],
  ['retry on nothing known', `${action}.retryPolicy`, { retryOn: '5xx', numRetries: 0 }],
  [
    'retry on nothing known with a bad back-off',
    `${action}.retryPolicy`,
    { retryOn: '5xx', retryBackOff: {} },
  ],
  ['retry many', `${action}.retryPolicy`, { retryOn: 'cancelled', numRetries: 4294967295 }],
  ['retry per-try timeout negative', `${action}.retryPolicy`, { retryOn: 'cancelled', perTryTimeout: '-1s' }],
  ['retry in capitals and spaces', `${action}.retryPolicy`, { retryOn: ' CANCELLED , Internal' }],
  ['retry back-off of nothing', `${action}.retryPolicy`, { retryOn: 'cancelled', retryBackOff: {} }],
  [
    'retry back-off of a host',
    `${host}.retryPolicy`,
    { retryOn: 'cancelled', retryBackOff: { baseInterval: '0s' } },
  ],
  [
    'rate-limited retry back-off',
    `${action}.retryPolicy`,
    { retryOn: 'cancelled', rateLimitedRetryBackOff: {} },
  ],
  ['hash of a header without name', `${action}.hashPolicy`, [{ header: {} }]],
  [
    'hash of a header with an empty rewrite',
    `${action}.hashPolicy`,
    [{ header: { headerName: 'x', regexRewrite: {} } }],
  ],
  [
    'hash of a header with an empty pattern',
    `${action}.hashPolicy`,
    [{ header: { headerName: 'x', regexRewrite: { pattern: {} } } }],
  ],
  [
    'hash of a header with a bad substitution',
    `${action}.hashPolicy`,
    [{ header: { headerName: 'x', regexRewrite: { pattern: { regex: 'a' }, substitution: '\\9' } } }],
  ],
  ['hash of nothing', `${action}.hashPolicy`, [{}]],
  ['hash of a filter state without key', `${action}.hashPolicy`, [{ filterState: {} }]],
  ['hash of connection properties', `${action}.hashPolicy`, [{ connectionProperties: { sourceIp: true } }]],
  ['hash of a query parameter', `${action}.hashPolicy`, [{ queryParameter: { name: 'x' } }]],
  ['override that is garbage', `${route}.typedPerFilterConfig`, override(garbage(faultType))],
  [
    'override in a wrapper that is garbage',
    `${route}.typedPerFilterConfig`,
    override(garbage('envoy.config.route.v3.FilterConfig')),
  ],
  [
    'override, optional, that is garbage',
    `${route}.typedPerFilterConfig`,
    override(wrapped(garbage(faultType), { isOptional: true })),
  ],
  ['override of another host', `${route}.typedPerFilterConfig`, override(foreignHost(faultType))],
  [
    'override of a type without host',
    `${route}.typedPerFilterConfig`,
    override(
      wrapped(
        { '@type': 'acme.Filter', 'xdscope.opaque': { reason: 'unknown', valueBase64: '' } },
        { isOptional: true },
      ),
    ),
  ],
  [
    'override, TypedStruct without type, optional',
    `${route}.typedPerFilterConfig`,
    override(wrapped(any('xds.type.v3.TypedStruct', { value: {} }), { isOptional: true })),
  ],
  [
    'override, TypedStruct that is garbage, optional',
    `${route}.typedPerFilterConfig`,
    override(wrapped(garbage('xds.type.v3.TypedStruct'), { isOptional: true })),
  ],
  [
    'override of nothing, optional',
    `${route}.typedPerFilterConfig`,
    override(
      wrapped(
        { '@type': '', 'xdscope.opaque': { reason: 'no type', valueBase64: '' } },
        { isOptional: true },
      ),
    ),
  ],
  [
    'override, TypedStruct of fault in a wrapper',
    `${route}.typedPerFilterConfig`,
    override(wrapped(typedStruct(faultType))),
  ],
  [
    'override of RBAC in a TypedStruct, optional',
    `${route}.typedPerFilterConfig`,
    override(wrapped(typedStruct(rbacType), { isOptional: true })),
  ],
  [
    'override of the router in a TypedStruct',
    `${route}.typedPerFilterConfig`,
    override(typedStruct('envoy.extensions.filters.http.router.v3.Router')),
  ],
  [
    'override of nothing',
    `${route}.typedPerFilterConfig`,
    override({ '@type': '', 'xdscope.opaque': { reason: 'no type', valueBase64: '' } }),
  ],
  ['override, disabled', `${route}.typedPerFilterConfig`, override(wrapped(undefined, { disabled: true }))],
  ['override, wrapped twice', `${route}.typedPerFilterConfig`, override(wrapped(wrapped(fault)))],
  ['override, unknown TypedStruct', `${route}.typedPerFilterConfig`, override(typedStruct('acme.Filter'))],
  [
    'override, unknown TypedStruct, optional',
    `${route}.typedPerFilterConfig`,
    override(wrapped(typedStruct('acme.Filter'), { isOptional: true })),
  ],
  [
    'override, TypedStruct of fault, optional',
    `${route}.typedPerFilterConfig`,
    override(wrapped(typedStruct(faultType), { isOptional: true })),
  ],
  [
    'override of the router, optional',
    `${route}.typedPerFilterConfig`,
    override(wrapped(router, { isOptional: true })),
  ],
  ['override of a host that is garbage', `${host}.typedPerFilterConfig`, override(garbage(faultType))],
  ['override of a host, nameless', `${host}.typedPerFilterConfig`, { '': fault }],
  [
    'override of a host, optional',
    `${host}.typedPerFilterConfig`,
    override(wrapped(lua, { isOptional: true })),
  ],
  [
    'override of RBAC with empty rules',
    `${route}.typedPerFilterConfig`,
    override(any(rbacType, { rbac: { rules: {} } })),
  ],
  ['override of RBAC that is garbage', `${route}.typedPerFilterConfig`, override(garbage(rbacType))],
  [
    'override of RBAC with a bad permission',
    `${route}.typedPerFilterConfig`,
    override(
      any(rbacType, {
        rbac: { rules: { policies: { p: { permissions: [{}], principals: [{ any: true }] } } } },
      }),
    ),
  ],
  [
    'override of a redirect, good',
    route,
    { match: { prefix: '' }, redirect: {}, typedPerFilterConfig: override(fault) },
  ],
  [
    'fault override with http status 1',
    `${route}.typedPerFilterConfig`,
    override(any(faultType, { abort: { httpStatus: 1, percentage: {} } })),
  ],
  [
    'fault override with an unknown denominator',
    `${route}.typedPerFilterConfig`,
    override(any(faultType, { abort: { grpcStatus: 1, percentage: { denominator: 9 } } })),
  ],
  ['VHDS', 'vhds', { configSource: { ads: {} } }],
  ['validate clusters', 'validateClusters', true],
  ['two violations', `${host}.domains`, [], match, {}],
];

export const routeTable: ConformanceTable = { family: routeFamily, rows };
