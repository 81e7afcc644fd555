import fc from 'fast-check';

type Json = Readonly<Record<string, unknown>>;

export const clusters = ['c0', 'c1', 'c2'] as const;
export const emptyCluster = 'empty';
export const absentCluster = 'gone';
/** Its hosts have values of the key k of envoy.lb. */
export const subsetCluster = 'subsets';
export const subsets = ['blue', '1'];

const oneOf = fc.constantFrom;
/** Values of headers, parameters and cookies, and what matchers compare them with. */
export const texts = [
  '1',
  'true',
  'blue',
  'Blue',
  'bluegreen',
  'greenblue',
  '',
  '7',
  '10',
  '-3',
  '007',
  'a,b',
];
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

/** Absent as often as not. */
export const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

const metadataOfRoutes: readonly Json[] = [
  { filter: 'n', path: [{ key: 'k' }], value: { stringMatch: { exact: 'blue' } } },
  { filter: 'n', path: [{ key: 'k' }], value: { presentMatch: true }, invert: true },
];

export const routeMatch: fc.Arbitrary<Json> = fc
  .record({
    path: pathSpecifier,
    insensitive: oneOf(false, false, true),
    headers: fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      { weight: 4, arbitrary: fc.array(headerMatcher, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(headerMatcher, { minLength: 2, maxLength: 2 }) },
    ),
    queryParameters: maybe(fc.array(queryMatcher, { minLength: 1, maxLength: 2 })),
    cookies: maybe(fc.array(cookieMatcher, { minLength: 1, maxLength: 1 })),
    grpc: oneOf(...Array<boolean>(7).fill(false), true),
    percent: oneOf(100, 100, 0, ...Array<undefined>(8).fill(undefined)),
    tls: maybe(fc.record({ presented: fc.boolean() })),
    rareQuery: oneOf(true, ...Array<boolean>(6).fill(false)),
    rareCookie: oneOf(true, ...Array<boolean>(8).fill(false)),
    rareTls: oneOf(true, ...Array<boolean>(12).fill(false)),
    dynamicMetadata: oneOf(undefined, ...Array<undefined>(6).fill(undefined), ...metadataOfRoutes),
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
      dynamicMetadata,
    }) => ({
      ...path,
      ...(insensitive &&
        ('prefix' in path || 'path' in path || 'pathSeparatedPrefix' in path) && { caseSensitive: false }),
      ...(headers.length > 0 && { headers }),
      ...(rareQuery && queryParameters && { queryParameters }),
      ...(rareCookie && cookies && { cookies }),
      ...(grpc && { grpc: {} }),
      ...(rareTls && tls && { tlsContext: tls }),
      ...(dynamicMetadata && { dynamicMetadata: [dynamicMetadata] }),
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
      { weight: 4, arbitrary: oneOf('x-color', 'x-cluster').map((clusterHeader) => ({ clusterHeader })) },
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
      {
        weight: 4,
        arbitrary: oneOf(undefined, 'blue', '1', 'none').map((k) => ({
          cluster: subsetCluster,
          ...(k && { metadataMatch: { filterMetadata: { 'envoy.lb': { k } } } }),
        })),
      },
      {
        weight: 1,
        arbitrary: fc.constant({
          weightedClusters: {
            clusters: [
              { name: 'c1', weight: 1 },
              { name: 'c2', weight: 2 },
            ],
          },
        }),
      },
    ),
    rewrite: oneOf({}, {}, { prefixRewrite: '/new/' }, { hostRewriteLiteral: 'rewritten' }),
    more: oneOf<Json>(
      {},
      { retryPolicy: { retryOn: 'connect-failure' } },
      { retryPolicy: { retryOn: 'reset' } },
      { timeout: '9s', requestMirrorPolicies: [{ cluster: 'c2' }] },
      { hashPolicy: [{ header: { headerName: 'x-color' } }] },
    ),
  })
  .map(({ target, rewrite, more }) => ({ route: { ...target, ...rewrite, ...more } }));

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
export const route = fc
  .record({
    match: routeMatch,
    action: fc
      .record({ own: action, metadata: oneOf<Json>({}, {}, { k: 'blue' }, { k: { a: 'b' } }) })
      .map(({ own, metadata }) => ({ ...own, metadata: { filterMetadata: { n: metadata } } })),
  })
  .filter(
    ({ match, action }) => !('pathMatchPolicy' in match && JSON.stringify(action).includes('prefixRewrite')),
  );
