import fc from 'fast-check';
import type { ExplainRequest } from '@/lib/explain/request';

/** A field of a route configuration or connection manager in proto3 JSON. */
type Json = Readonly<Record<string, unknown>>;

/** One connection manager with inline routes, and the requests that are sent to it. */
export interface Drawn {
  readonly manager: Json;
  readonly virtualHosts: readonly Json[];
  readonly table: Json;
  readonly requests: readonly ExplainRequest[];
}

export const clusters = ['c0', 'c1', 'c2'] as const;
export const emptyCluster = 'empty';
export const absentCluster = 'gone';

const oneOf = fc.constantFrom;
const segments = [
  'shop',
  'Shop',
  'cart',
  'v1',
  '12',
  'a',
  'b',
  'a.b',
  'x-y',
  '~u',
  '%41',
  '%2F',
  '..',
  '.',
  '',
];
const texts = ['1', 'true', 'blue', 'Blue', 'bluegreen', 'greenblue', '', '7', '10', '-3', '007', 'a,b'];
const headerNames = ['x-color', 'x-version', 'x-Absent'];
const regexes = ['blue|green', 'b.*', '.*', '[a-z]+', '(?i)BLUE', '\\d{1,2}', '^blue$', 'blu', ''];

export const stringMatcher: fc.Arbitrary<Json> = fc.oneof(
  ...['exact', 'prefix', 'suffix', 'contains'].map((kind) =>
    fc
      .record({ value: oneOf(...texts), ignoreCase: fc.boolean() })
      .filter(({ value }) => kind === 'exact' || value !== '')
      .map(({ value, ignoreCase }) => ({ [kind]: value, ...(ignoreCase && { ignoreCase }) })),
  ),
  oneOf(...regexes.filter((each) => each !== '')).map((regex) => ({ safeRegex: { regex } })),
);

const headerMatcher: fc.Arbitrary<Json> = fc
  .record({
    name: oneOf(...headerNames, ':method', ':path', ':authority', ':scheme', 'x-forwarded-proto'),
    rule: fc.oneof(
      { weight: 4, arbitrary: stringMatcher.map((stringMatch) => ({ stringMatch })) },
      { weight: 2, arbitrary: fc.boolean().map((presentMatch) => ({ presentMatch })) },
      {
        weight: 2,
        arbitrary: oneOf({ start: '0', end: '10' }, { start: '-10', end: '0' }, { start: '7', end: '8' }).map(
          (rangeMatch) => ({ rangeMatch }),
        ),
      },
      { weight: 1, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: oneOf(...texts).map((exactMatch) => ({ exactMatch })) },
      { weight: 1, arbitrary: oneOf('blue', '1').map((prefixMatch) => ({ prefixMatch })) },
      { weight: 1, arbitrary: oneOf('blue', '1').map((suffixMatch) => ({ suffixMatch })) },
      { weight: 1, arbitrary: oneOf('lue', '0').map((containsMatch) => ({ containsMatch })) },
      { weight: 1, arbitrary: oneOf(...regexes.slice(0, 4)).map((regex) => ({ safeRegexMatch: { regex } })) },
    ),
    invertMatch: fc.boolean(),
    treatMissingHeaderAsEmpty: oneOf(false, false, true),
  })
  .map(({ name, rule, invertMatch, treatMissingHeaderAsEmpty }) => ({
    ...{ name, ...rule },
    ...(invertMatch && { invertMatch }),
    ...(treatMissingHeaderAsEmpty && { treatMissingHeaderAsEmpty }),
  }));

const pathSpecifier: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 4,
    arbitrary: oneOf('/', '/shop', '/shop/', '/Shop/cart', '/shop/v1/', '/a', '/x').map((prefix) => ({
      prefix,
    })),
  },
  { weight: 3, arbitrary: oneOf('/shop/cart', '/shop', '/', '/SHOP/12', '/a/b').map((path) => ({ path })) },
  {
    weight: 3,
    arbitrary: oneOf(
      '/shop/.*',
      '/(a|b)/.*',
      '/[a-z]+',
      '/.*cart',
      '/shop|/a',
      '/shop/\\d+/?',
      '(?i)/SHOP.*',
      '/\\pL+',
    ).map((regex) => ({ safeRegex: { regex } })),
  },
  {
    weight: 3,
    arbitrary: oneOf('/shop', '/a', '/shop/cart', '/Shop').map((pathSeparatedPrefix) => ({
      pathSeparatedPrefix,
    })),
  },
  {
    weight: 3,
    arbitrary: oneOf(
      '/shop/*',
      '/shop/**',
      '/{x}/cart',
      '/*/{y=*}/b',
      '/shop/{p=**}',
      '/{a=shop/*}',
      '/{q=**}',
      '/*',
    ).map((pathTemplate) => ({
      pathMatchPolicy: {
        name: 'template',
        typedConfig: {
          '@type': 'type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig',
          pathTemplate,
        },
      },
    })),
  },
);

const queryMatcher: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ name: oneOf('q', 'debug', 'id') }),
  fc.record({ name: oneOf('q', 'debug', 'id'), presentMatch: fc.boolean() }),
  fc.record({ name: oneOf('q', 'debug'), stringMatch: stringMatcher }),
);

const cookieMatcher: fc.Arbitrary<Json> = fc
  .record({ name: oneOf('session', 'lang'), stringMatch: stringMatcher, invertMatch: fc.boolean() })
  .map(({ invertMatch, ...rest }) => ({ ...rest, ...(invertMatch && { invertMatch }) }));

const rarely = <T>(arbitrary: fc.Arbitrary<T>, one: number): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: one });

export const routeMatch: fc.Arbitrary<Json> = fc
  .record({
    path: pathSpecifier,
    insensitive: oneOf(false, false, true),
    headers: fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      { weight: 4, arbitrary: fc.array(headerMatcher, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(headerMatcher, { minLength: 2, maxLength: 2 }) },
    ),
    queryParameters: rarely(fc.array(queryMatcher, { minLength: 1, maxLength: 2 }), 1),
    cookies: rarely(fc.array(cookieMatcher, { minLength: 1, maxLength: 1 }), 1),
    grpc: oneOf(...Array<boolean>(7).fill(false), true),
    percent: oneOf(100, 100, 0, ...Array<undefined>(8).fill(undefined)),
    tls: rarely(fc.record({ presented: fc.boolean() }), 1),
    rareQuery: oneOf(true, ...Array<boolean>(6).fill(false)),
    rareCookie: oneOf(true, ...Array<boolean>(8).fill(false)),
    rareTls: oneOf(true, ...Array<boolean>(12).fill(false)),
  })
  .map(
    ({
      path,
      insensitive,
      headers,
      queryParameters,
      cookies,
      grpc,
      percent,
      tls,
      rareQuery,
      rareCookie,
      rareTls,
    }) => ({
      ...path,
      ...(insensitive &&
        ('prefix' in path || 'path' in path || 'pathSeparatedPrefix' in path) && { caseSensitive: false }),
      ...(headers.length > 0 && { headers }),
      ...(rareQuery && queryParameters && { queryParameters }),
      ...(rareCookie && cookies && { cookies }),
      ...(grpc && { grpc: {} }),
      ...(rareTls && tls && { tlsContext: tls }),
      ...(percent !== undefined && {
        runtimeFraction: { defaultValue: { numerator: percent, denominator: 'HUNDRED' } },
      }),
    }),
  );

const forward: fc.Arbitrary<Json> = fc
  .record({
    target: fc.oneof(
      { weight: 5, arbitrary: oneOf(...clusters).map((cluster) => ({ cluster })) },
      { weight: 1, arbitrary: fc.constant({ cluster: emptyCluster }) },
      { weight: 1, arbitrary: fc.constant({ cluster: absentCluster }) },
      {
        weight: 1,
        arbitrary: fc.constant({ cluster: absentCluster, clusterNotFoundResponseCode: 'NOT_FOUND' }),
      },
      { weight: 2, arbitrary: oneOf('x-color', 'x-cluster').map((clusterHeader) => ({ clusterHeader })) },
      {
        weight: 2,
        arbitrary: oneOf(...clusters).map((name) => ({
          weightedClusters: {
            clusters: [
              { name, weight: 3 },
              { name: 'c0', weight: 0 },
            ],
          },
        })),
      },
    ),
    rewrite: oneOf({}, {}, { prefixRewrite: '/new/' }, { hostRewriteLiteral: 'rewritten' }),
  })
  .map(({ target, rewrite }) => ({ route: { ...target, ...rewrite } }));

const redirect: fc.Arbitrary<Json> = fc
  .record({
    how: oneOf(
      { hostRedirect: 'other.example' },
      { httpsRedirect: true },
      { schemeRedirect: 'https', portRedirect: 8443 },
      { pathRedirect: '/moved' },
      { pathRedirect: '/moved?x=1' },
      { prefixRewrite: '/new' },
      { portRedirect: 81 },
    ),
    responseCode: oneOf(
      'MOVED_PERMANENTLY',
      'FOUND',
      'SEE_OTHER',
      'TEMPORARY_REDIRECT',
      'PERMANENT_REDIRECT',
    ),
    stripQuery: fc.boolean(),
  })
  .map(({ how, responseCode, stripQuery }) => ({
    redirect: { ...how, responseCode, ...(stripQuery && { stripQuery }) },
  }));

const action: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: forward },
  { weight: 2, arbitrary: redirect },
  { weight: 1, arbitrary: oneOf(200, 403, 503).map((status) => ({ directResponse: { status } })) },
);

/** Envoy rejects a prefix rewrite beside a template. */
const route = fc
  .record({ match: routeMatch, action })
  .filter(
    ({ match, action }) => !('pathMatchPolicy' in match && JSON.stringify(action).includes('prefixRewrite')),
  );

const domains = [
  ...[
    'shop.example',
    'SHOP.example',
    'a.shop.example',
    'shop.example:8080',
    '*.example',
    '*.shop.example',
    '*example',
  ],
  ...['shop.*', 'shop.example:*', 'a.*', '*', '*-x.example', 'b*d'],
];
const authorities = [
  ...[
    'shop.example',
    'Shop.Example',
    'a.shop.example',
    'b.a.shop.example',
    'shop.example:8080',
    'shop.example:80',
  ],
  ...[
    'shop.example.',
    'shop.org',
    'x-x.example',
    '-x.example',
    '.example',
    'example',
    'other',
    'bcd',
    'a.b.c',
    'b*d',
  ],
];

const virtualHosts: fc.Arbitrary<readonly Json[]> = fc
  .array(
    fc.record({
      domains: fc.oneof(fc.constant<string[]>(['*']), fc.subarray(domains, { minLength: 1, maxLength: 4 })),
      routes: fc.array(route, { minLength: 1, maxLength: 12 }),
      requireTls: oneOf(false, false, false, false, false, false, false, true),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((hosts) => {
    // A domain occurs only once in a route configuration, in any case.
    const known = new Set<string>();
    return hosts.flatMap(({ domains: own, routes, requireTls }, nth) => {
      const left = own.filter((each) => !known.has(each.toLowerCase()));
      for (const each of left) known.add(each.toLowerCase());
      const unique = [...new Map(left.map((each) => [each.toLowerCase(), each])).values()];
      if (unique.length === 0) return [];
      return [
        {
          name: `h${nth}`,
          domains: unique,
          ...(requireTls && { requireTls: 'ALL' }),
          routes: routes.map(({ match, action: own }, at) => ({ name: `h${nth}r${at}`, match, ...own })),
        },
      ];
    });
  });

const manager: fc.Arbitrary<Json> = fc
  .record({
    normalizePath: fc.boolean(),
    mergeSlashes: fc.boolean(),
    port: oneOf({}, {}, { stripAnyHostPort: true }, { stripMatchingHostPort: true }),
    stripTrailingHostDot: oneOf(false, true),
    slashes: oneOf(
      ...[
        undefined,
        undefined,
        'KEEP_UNCHANGED',
        'REJECT_REQUEST',
        'UNESCAPE_AND_REDIRECT',
        'UNESCAPE_AND_FORWARD',
      ],
    ),
  })
  .map(({ port, slashes, ...rest }) => ({
    ...rest,
    ...port,
    ...(slashes !== undefined && { pathWithEscapedSlashesAction: slashes }),
  }));

const table: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ ignorePortInHostMatching: true }) },
  { weight: 1, arbitrary: fc.constant({ vhostHeader: 'x-color' }) },
);

const wellKnownPaths = ['/shop/cart', '/shop', '/shop/', '/shop/12', '/a/b', '/shop/v1/cart', '/x/cart', '/'];

const pathOfRequest: fc.Arbitrary<string> = fc
  .record({
    path: fc.oneof(
      { weight: 3, arbitrary: oneOf(...wellKnownPaths) },
      {
        weight: 2,
        arbitrary: fc
          .array(oneOf(...segments), { minLength: 1, maxLength: 4 })
          .map((parts) => `/${parts.join('/')}`),
      },
    ),
    query: fc.option(
      fc
        .array(fc.tuple(oneOf('q', 'debug', 'id'), oneOf(...texts, '%31', undefined)), {
          minLength: 1,
          maxLength: 3,
        })
        .map(
          (pairs) =>
            `?${pairs.map(([name, value]) => (value === undefined ? name : `${name}=${value}`)).join('&')}`,
        ),
      { nil: '' },
    ),
  })
  .map(({ path, query }) => path + query);

export const drawnRequest: fc.Arbitrary<ExplainRequest> = fc
  .record({
    method: oneOf('GET', 'GET', 'GET', 'POST', 'OPTIONS'),
    authority: fc.oneof(
      { weight: 2, arbitrary: fc.constant('shop.example') },
      { weight: 3, arbitrary: oneOf(...authorities) },
    ),
    path: pathOfRequest,
    colors: fc.array(oneOf(...texts, 'c1'), { maxLength: 2 }),
    version: rarely(oneOf(...texts), 1),
    cluster: rarely(oneOf('c0', 'c2', absentCluster, emptyCluster, ''), 1),
    cookie: rarely(oneOf('session=blue', 'lang=en; session=1', 'session=; lang=blue', 'session="blue"'), 1),
    type: rarely(
      oneOf('application/grpc', 'application/grpc+proto', 'application/grpc-web', 'text/plain'),
      1,
    ),
    forwarded: oneOf(undefined, undefined, undefined, 'https'),
  })
  .map(({ method, authority, path, colors, version, cluster, cookie, type, forwarded }) => ({
    ...{ method, scheme: 'http', authority, path },
    headers: [
      ...colors.map((value): [string, string] => ['x-color', value]),
      ...Object.entries({
        'X-Version': version,
        'x-cluster': cluster,
        cookie,
        'content-type': type,
        'x-forwarded-proto': forwarded,
      }).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
    ],
  }));

export function drawConfigs(seed: number, configs: number, requestsOfEach: number): Drawn[] {
  return fc.sample(
    fc.record({
      ...{ manager, virtualHosts, table },
      requests: fc.array(drawnRequest, { minLength: requestsOfEach, maxLength: requestsOfEach }),
    }),
    { seed, numRuns: configs },
  );
}
