import fc from 'fast-check';
import type { ExplainRequest } from '@/lib/requests/request';
import type { Drawn } from './draw-pairs';
import { clusters } from './draw-routes';

type Json = Readonly<Record<string, unknown>>;

const oneOf = fc.constantFrom;
const direct = (status: number): Json => ({ directResponse: { status } });
const websocket = { upgradeType: 'websocket' };
const toCluster = (more: Json = {}): Json => ({ route: { cluster: clusters[0], ...more } });

const odd: fc.Arbitrary<Json> = fc.oneof(
  oneOf('/', '/', '/shop', '/a%20b', '//', '/%2F', '/a;v=1').chain((prefix) =>
    oneOf(direct(200), direct(201), direct(302), toCluster()).map((action) => ({
      match: { prefix },
      ...action,
    })),
  ),
  oneOf('/shop', '/a+b', '/*').map((path) => ({ match: { path }, ...direct(204) })),
  oneOf('.*', '/[^/]+', '/.*%22.*').map((regex) => ({ match: { safeRegex: { regex } }, ...direct(207) })),
  oneOf({}, { upgradeConfigs: [{ upgradeType: 'CONNECT', connectConfig: {} }] }).map((more) => ({
    match: { connectMatcher: {} },
    ...toCluster(more),
  })),
  oneOf('x-color', 'x_under', 'host', ':authority').chain((name) =>
    oneOf<Json>(
      { presentMatch: true },
      { stringMatch: { exact: 'a,b' } },
      { stringMatch: { contains: 'b' } },
    ).map((rule) => ({ match: { prefix: '/', headers: [{ name, ...rule }] }, ...direct(208) })),
  ),
  oneOf('q', 'a b', 'a%20b', 'q[]').chain((name) =>
    oneOf<Json>(
      { presentMatch: true },
      ...['1', 'a+b', '%', ''].map((exact) => ({ stringMatch: { exact } })),
    ).map((rule) => ({ match: { prefix: '/', queryParameters: [{ name, ...rule }] }, ...direct(209) })),
  ),
  oneOf<Json>(
    { httpsRedirect: true },
    { portRedirect: 80 },
    { prefixRewrite: '/n' },
    { pathRedirect: '/n?x' },
    { regexRewrite: { pattern: { regex: '^/(s)|[a%]' }, substitution: '/\\1\\0\\\\' }, stripQuery: true },
  ).map((redirect) => ({ match: { prefix: '/' }, redirect })),
  oneOf(undefined, true, false).map((enabled) => ({
    match: { prefix: '/' },
    ...toCluster({ upgradeConfigs: [{ ...websocket, ...(enabled !== undefined && { enabled }) }] }),
  })),
);

const manager: fc.Arbitrary<Json> = fc
  .record({
    normalizePath: fc.boolean(),
    mergeSlashes: fc.boolean(),
    stripTrailingHostDot: fc.boolean(),
    useRemoteAddress: oneOf(false, false, true),
    pathWithEscapedSlashesAction: oneOf(
      'KEEP_UNCHANGED',
      'REJECT_REQUEST',
      'UNESCAPE_AND_FORWARD',
      'UNESCAPE_AND_REDIRECT',
    ),
    more: oneOf<Json>(
      {},
      { stripAnyHostPort: true },
      { schemeHeaderTransformation: { schemeToOverwrite: 'https' } },
    ),
    upgradeConfigs: oneOf<readonly Json[]>(
      [],
      [websocket],
      [{ upgradeType: 'CONNECT' }, { ...websocket, enabled: false }],
    ),
    headersWithUnderscoresAction: oneOf('ALLOW', 'ALLOW', 'REJECT_REQUEST', 'DROP_HEADER'),
    allowCustomMethods: fc.boolean(),
  })
  .map(({ more, headersWithUnderscoresAction, allowCustomMethods, ...rest }) => ({
    ...{ ...rest, ...more, httpProtocolOptions: { allowCustomMethods } },
    commonHttpProtocolOptions: { headersWithUnderscoresAction },
  }));

const segments = [
  ...[
    'shop',
    'a+b',
    'a%20b',
    '%2F',
    '%5C',
    '%2e',
    '..',
    '.',
    '',
    'a;v=1',
    '%',
    '%zz',
    '%00',
    '~',
    '"',
    '<',
    '|',
    '\\',
  ],
  ...['é', 'a b', '*', ':', '@', '#', '^', '`', '{', '}', 'x'.repeat(9000), 'x'.repeat(62_000)],
];
const queries = [
  ...[
    '',
    '',
    '?q=1',
    '?q=a+b',
    '?q=a%20b',
    '?q',
    '?q=',
    '?a%20b=1',
    '?q[]=1',
    '?q=%',
    '?q=1&q=2',
    '??q=1',
    '?&&q=1',
  ],
  ...['?q==1', '?q=1;x=2', '?q=/../x', '?q=%00', '?q=1#f'],
];
const target = fc
  .tuple(fc.array(oneOf(...segments), { minLength: 1, maxLength: 3 }), oneOf(...queries))
  .map(([parts, query]) => `/${parts.join('/')}${query}`);
const authorities = [
  ...[
    'shop.example',
    'shop.example',
    'SHOP.example',
    'shop.example.',
    'shop.example.:80',
    'shop.example:443',
  ],
  ...[
    'shop.example:',
    'shop.example:abc',
    'shop.example:099',
    'shop.example:65536',
    '[::1]',
    '[::1]:80',
    'a_b',
    'a b',
  ],
  ...['', 'user@shop.example', 'shop.example..', 'a|b', 'a,b'],
];
const headers: readonly (readonly [string, string])[] = [
  ...['blue', 'a,b', 'a, b', ''].map((value) => ['x-color', value] as const),
  ...['upgrade', 'Upgrade, HTTP2-Settings', 'x-color', 'close'].map(
    (value) => ['connection', value] as const,
  ),
  ...['websocket', 'WebSocket', 'h2c', 'other'].map((value) => ['upgrade', value] as const),
  ...['https', 'HTTP', 'ftp', 'https,http'].map((value) => ['x-forwarded-proto', value] as const),
  ...[
    ['x_under', '1'],
    ['te', 'gzip'],
    ['cookie', 'a=1'],
    ['content-type', 'application/grpc'],
  ].map(([name = '', value = '']) => [name, value] as const),
];

const request: fc.Arbitrary<ExplainRequest> = fc
  .record({
    method: oneOf('GET', 'GET', 'GET', 'POST', 'CONNECT', 'OPTIONS', 'PATCH', 'PURGE', 'M-SEARCH'),
    authority: oneOf(...authorities),
    path: fc.oneof({ weight: 9, arbitrary: target }, oneOf('*', '///', '/?', 'a')),
    headers: fc.array(oneOf(...headers), { maxLength: 3 }),
  })
  .map((each) => ({
    ...each,
    scheme: 'http',
    path: each.method === 'CONNECT' ? '' : each.path,
    connection: { sourceAddress: '127.0.0.1', isTls: false },
  }));

/** Requests that a caller rarely means to send, and what a connection manager may do with them. */
export function drawOdd(seed: number, configs: number, requestsOfEach: number): Drawn[] {
  const domains = oneOf(
    ['*'],
    ['*'],
    ['shop.example', '*.example'],
    ['shop.example:80', 'shop.example'],
    ['[::1]', '*'],
  );
  return fc.sample(
    fc.record({
      manager,
      table: oneOf<Json>({}, {}, { ignorePortInHostMatching: true }),
      virtualHosts: fc
        .record({
          domains,
          routes: fc.array(odd, { minLength: 1, maxLength: 5 }),
          requireTls: oneOf('NONE', 'NONE', 'NONE', 'ALL'),
        })
        .map(({ routes, ...host }) => [
          { name: 'v', ...host, routes: routes.map((route, at) => ({ name: `r${at}`, ...route })) },
        ]),
      filters: fc.constant([]),
      requests: fc.array(request, { minLength: requestsOfEach, maxLength: requestsOfEach }),
    }),
    { seed, numRuns: configs },
  );
}
