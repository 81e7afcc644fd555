import { describe, expect, it } from 'vitest';
import type { ExplainRequest } from '@/lib/requests/request';
import { RDS } from '@/lib/xds/resource-type';
import { cart, edge, start } from './edge-mesh';
import { explainIn } from './explained-mesh';

const websocket = { upgradeConfigs: [{ upgradeType: 'websocket' }] };
const connectTo = { upgradeConfigs: [{ upgradeType: 'CONNECT', connectConfig: {} }] };
const table = [
  { name: 'connect', match: { connectMatcher: {} }, route: { cluster: 'cart', ...connectTo } },
  { name: 'created', match: { path: '/created' }, directResponse: { status: 201 } },
  { name: 'on', match: { prefix: '/on' }, route: { cluster: 'cart', ...websocket } },
  {
    name: 'off',
    match: { prefix: '/off' },
    route: { cluster: 'cart', upgradeConfigs: [{ upgradeType: 'websocket', enabled: false }] },
  },
  {
    name: 'under',
    match: { prefix: '/', headers: [{ name: 'x_a', presentMatch: true }] },
    route: { cluster: 'cart' },
  },
  {
    name: 'moved',
    match: { prefix: '/moved' },
    redirect: { regexRewrite: { pattern: { regex: '^/moved/(.)|b' }, substitution: '/\\1\\0' } },
  },
  { name: 'quoted', match: { path: '/a%22b' }, route: { cluster: 'cart' } },
  { name: 'rest', match: { prefix: '/' }, route: { cluster: 'cart' } },
];

interface Case {
  readonly request?: Partial<ExplainRequest>;
  readonly manager?: object;
  readonly host?: object;
  readonly ofTable?: object;
}

function outcomeOf({ request, manager = {}, host = {}, ofTable = {} }: Case): string {
  const virtualHosts = [{ name: 'v', domains: ['*'], routes: table, ...host }];
  const body = { name: 'routes', virtualHosts, ...ofTable };
  const whole: ExplainRequest = {
    ...{ method: 'GET', scheme: 'http', authority: 'shop.example', path: '/', headers: [] },
    ...request,
  };
  const mesh = [edge({ manager }), { typeUrl: RDS.typeUrl, name: 'routes', body }, ...cart];
  const { branches } = explainIn(mesh, whole, { start });
  return branches
    .map(({ kind, status, route, location }) =>
      [kind === 'forwarded' ? '' : kind === 'unknown' ? kind : status, route, location]
        .filter((each) => each !== undefined && each !== '')
        .join(' '),
    )
    .join(' or ');
}

const upgrade = (path: string, type = 'websocket'): Partial<ExplainRequest> => ({
  path,
  headers: [
    ['Connection', 'keep-alive, Upgrade'],
    ['upgrade', type],
  ],
});
const connect: Partial<ExplainRequest> = { method: 'CONNECT', authority: 'shop.example:443', path: '' };
const options = (headersWithUnderscoresAction: string) => ({
  commonHttpProtocolOptions: { headersWithUnderscoresAction },
});
const xs = (count: number): [string, string][] => Array.from({ length: count }, () => ['x', '1']);
const most = (maxHeadersCount: number) => ({ commonHttpProtocolOptions: { maxHeadersCount } });
const customMethods = { httpProtocolOptions: { allowCustomMethods: true } };
const underscored: Partial<ExplainRequest> = { headers: [['x_a', '1']] };
const named: ExplainRequest['headers'] = [['Connection', 'close, X_A']];
const onlyShop = { domains: ['shop.example'] };

/** Each row was measured with Envoy 1.40.0 and HTTP/1.1; the chapter `requests` of `npm run test:peers` draws more. */
describe('an Envoy answers', () => {
  it.each<[string, Case, string]>([
    ['a host with a space', { request: { authority: 'a b' } }, '400'],
    ['a host with a slash', { request: { authority: 'a/b' } }, '400'],
    ['a host with a user', { request: { authority: 'user@shop.example' } }, 'rest'],
    ['a path with a space', { request: { path: '/a b' } }, '400'],
    ['a path beyond ASCII', { request: { path: '/é' } }, '400'],
    ['a path without a slash', { request: { path: 'a' } }, '400'],
    ['the path * of OPTIONS', { request: { method: 'OPTIONS', path: '*' } }, '404'],
    ['the path * of another method', { request: { path: '*' } }, '400'],
    ['a fragment', { request: { path: '/a#b' } }, '400'],
    ['more than 60 KiB', { request: { path: `/${'a'.repeat(65_000)}` } }, '431'],
    ['more than 60 KiB, with a space', { request: { path: `/ ${'a'.repeat(65_000)}` } }, '431'],
    ['4 headers and the host of at most 5', { request: { headers: xs(4) }, manager: most(5) }, 'rest'],
    ['5 headers and the host of at most 5', { request: { headers: xs(5) }, manager: most(5) }, '431'],
    ['100 headers and the host', { request: { headers: xs(100) } }, '431'],
    ['a method that the codec does not know', { request: { method: 'M-SEARCH' } }, '400'],
    ['the method PURGE', { request: { method: 'PURGE' } }, 'rest'],
    ['the method QUERY, which may not', { request: { method: 'QUERY' }, manager: customMethods }, '400'],
    ['another method that may be sent', { request: { method: 'FOO' }, manager: customMethods }, 'rest'],
    [
      'a redirect whose path a regular expression rewrites',
      { request: { path: '/moved/abc?q=b' } },
      '301 moved http://shop.example/a/moved/a/bc?q=b',
    ],
    ['%00', { request: { path: '/%00' } }, 'rest'],
    ['%00 that is normalised', { request: { path: '/%00' }, manager: { normalizePath: true } }, '400'],
    ['%00 in a query', { request: { path: '/?%00' }, manager: { normalizePath: true } }, 'rest'],
    [
      'what is a gRPC request with one content-type alone',
      {
        request: {
          path: '/#',
          headers: [
            ['content-type', 'application/grpc'],
            ['content-type', 'application/grpc'],
          ],
        },
      },
      '400',
    ],
    ['a quote', { request: { path: '/a"b' } }, 'rest'],
    ['a quote that is normalised', { request: { path: '/a"b' }, manager: { normalizePath: true } }, 'quoted'],
    ['a header with an underscore', { request: underscored }, 'under'],
    ['a header that connection names', { request: { headers: [...named, ['x_a', '1']] } }, 'rest'],
    ['the host, which connection names', { request: { headers: [['connection', 'host']] } }, '400'],
    ['one that is rejected', { request: underscored, manager: options('REJECT_REQUEST') }, '400'],
    ['one that is dropped', { request: underscored, manager: options('DROP_HEADER') }, 'rest'],
    ['201 by itself', { request: { path: '/created' } }, '201 created http://shop.example/created'],
    ['an upgrade', { request: upgrade('/') }, '403 rest'],
    [
      'an upgrade that the manager allows',
      { request: upgrade('/', 'WebSocket'), manager: websocket },
      'rest',
    ],
    ['an upgrade that the route allows', { request: upgrade('/on') }, 'on'],
    ['an upgrade that the route disables', { request: upgrade('/off'), manager: websocket }, '403 off'],
    ['an upgrade with a direct response', { request: upgrade('/created') }, '403 created'],
    ['an upgrade to HTTP/2, which is ignored', { request: upgrade('/', 'h2c') }, 'rest'],
    [
      'an upgrade that Connection does not name',
      { request: { headers: [['upgrade', 'websocket']] } },
      'rest',
    ],
    ['CONNECT', { request: connect }, 'connect'],
    [
      'CONNECT that must be TLS, with the content-type of gRPC',
      {
        request: { ...connect, headers: [['content-type', 'application/grpc']] },
        host: { requireTls: 'ALL' },
      },
      '403',
    ],
    ['CONNECT without a port', { request: { ...connect, authority: 'shop.example' } }, '400'],
    ['CONNECT to the port 65536', { request: { ...connect, authority: 'a:65536' } }, '400'],
    ['CONNECT without a domain', { request: connect, host: onlyShop }, '404'],
    [
      'CONNECT without its port',
      { request: connect, host: onlyShop, manager: { stripAnyHostPort: true } },
      'connect',
    ],
    ['CONNECT that must be TLS', { request: connect, host: { requireTls: 'ALL' } }, '403'],
    [
      'CONNECT that must be TLS, and is allowed',
      {
        request: connect,
        host: { requireTls: 'ALL' },
        manager: { upgradeConfigs: [{ upgradeType: 'CONNECT' }] },
      },
      '301',
    ],
    ['a request that must be TLS', { host: { requireTls: 'ALL' } }, '301 https://shop.example/'],
    [
      'a request that must be TLS, whose scheme is overwritten',
      {
        host: { requireTls: 'ALL' },
        manager: { schemeHeaderTransformation: { schemeToOverwrite: 'https' } },
      },
      'rest',
    ],
    ['a port that is no number', { request: { authority: 'shop.example:a' }, host: onlyShop }, '404'],
    [
      'a port that is no number and ignored',
      {
        request: { authority: 'shop.example:a' },
        host: onlyShop,
        ofTable: { ignorePortInHostMatching: true },
      },
      'rest',
    ],
  ])('%s', (_, of, expected) => {
    expect(outcomeOf(of)).toBe(expected);
  });
});
