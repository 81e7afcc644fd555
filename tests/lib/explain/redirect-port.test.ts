import { expect, it } from 'vitest';
import { RDS } from '@/lib/xds/resource-type';
import { cart, edge, start } from './edge-mesh';
import { explainIn } from './explained-mesh';

const routes = [
  { match: { prefix: '/https' }, redirect: { httpsRedirect: true } },
  { match: { prefix: '/http' }, redirect: { schemeRedirect: 'http' } },
  { match: { prefix: '/' }, redirect: { pathRedirect: '/n' } },
];
const body = { name: 'routes', virtualHosts: [{ name: 'v', domains: ['*'], routes }] };

function locationOf(
  path: string,
  authority: string,
  forwarded: string | undefined,
  manager: object = {},
): string | undefined {
  const headers = forwarded === undefined ? [] : [['x-forwarded-proto', forwarded] as const];
  const mesh = [edge({ manager }), { typeUrl: RDS.typeUrl, name: 'routes', body }, ...cart];
  const request = { method: 'GET', scheme: 'http', authority, path, headers } as const;
  return explainIn(mesh, request, { start }).branches[0]?.location;
}

// Measured with Envoy 1.40.0.
it.each([
  ['/https', 'a:80', [undefined, 'http', 'HTTP'], 'https://a/https'],
  ['/https', 'a:80', ['https', 'HTTPS', 'ftp', 'https,http'], 'https://a:80/https'],
  ['/https', 'a:443', [undefined, 'http', 'https', 'HTTP', 'ftp', 'https,http'], 'https://a:443/https'],
  ['/https', 'a:443', ['HTTPS'], 'https://a/https'],
  ['/http', 'a:80', [undefined, 'http', 'https', 'HTTPS', 'ftp', 'https,http'], 'http://a:80/http'],
  ['/http', 'a:80', ['HTTP'], 'http://a/http'],
  ['/http', 'a:443', [undefined, 'http', 'HTTP', 'ftp', 'https,http'], 'http://a:443/http'],
  ['/http', 'a:443', ['https', 'HTTPS'], 'http://a/http'],
  ['/x', 'a:80', [undefined, 'http', 'ftp', 'https,http'], 'http://a:80/n'],
  ['/x', 'a:80', ['https', 'HTTPS'], 'https://a:80/n'],
  ['/x', 'a:80', ['HTTP'], 'http://a/n'],
  ['/x', 'a:443', [undefined, 'http', 'HTTP', 'ftp', 'https,http'], 'http://a:443/n'],
  ['/x', 'a:443', ['https'], 'https://a:443/n'],
  ['/x', 'a:443', ['HTTPS'], 'https://a/n'],
])('a redirect of %s at %s with x-forwarded-proto %j leads to %s', (path, authority, all, location) => {
  for (const forwarded of all)
    expect([forwarded, locationOf(path, authority, forwarded)]).toEqual([forwarded, location]);
});

it.each([
  ['https', '/https', 'a:80', 'https://a:80/https'],
  ['https', '/http', 'a:443', 'http://a/http'],
  ['https', '/x', 'a:80', 'https://a:80/n'],
  ['http', '/https', 'a:80', 'https://a/https'],
  ['http', '/x', 'a:443', 'http://a:443/n'],
])(
  'whatever x-forwarded-proto is, the scheme %s takes its place in a redirect of %s at %s',
  (scheme, path, authority, location) => {
    const manager = { schemeHeaderTransformation: { schemeToOverwrite: scheme } };
    for (const forwarded of [undefined, 'http', 'HTTPS', 'ftp'])
      expect([forwarded, locationOf(path, authority, forwarded, manager)]).toEqual([forwarded, location]);
  },
);
