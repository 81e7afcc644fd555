import { describe, expect, it } from 'vitest';
import { parseRequest } from '@/lib/explain/parse-request';
import { buildWitnesses } from '@/lib/views/resolved/build-witnesses';
import { formatWitnesses } from '@/lib/views/resolved/format-witnesses';
import { newestOf } from '@/lib/xds/profile';
import { LDS } from '@/lib/xds/resource-type';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';

const profile = newestOf('envoy');
const routes = [
  {
    name: 'tenant',
    match: { prefix: '/a', headers: [{ name: 'x-t', exactMatch: "it's" }] },
    route: { cluster: 'cart' },
  },
  {
    name: 'post',
    match: { path: '/shop.Cart/Add', headers: [{ name: ':method', exactMatch: 'POST' }] },
    route: { cluster: 'cart' },
  },
  {
    match: { path: '/shop.Cart/Add', headers: [{ name: ':method', exactMatch: 'POST' }] },
    directResponse: { status: 200 },
  },
  { name: 'tunnel', match: { connectMatcher: {} }, route: { cluster: 'cart' } },
];
const body = {
  name: 'edge',
  address: { socketAddress: { address: '10.0.0.1', portValue: 80 } },
  filterChains: [
    {
      filters: [
        {
          name: 'hcm',
          typedConfig: {
            '@type':
              'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
            routeConfig: { virtualHosts: [{ name: 'v', domains: ['*.shop.example'], routes }] },
          },
        },
      ],
    },
  ],
};
const resolver = resolverOver([{ typeUrl: LDS.typeUrl, name: 'edge', body }], {
  start: { listener: 'edge' },
  profile,
});
const witnesses = {
  ...{ clientId: 'c', at: 0, profile, address: resolver.listener.address },
  ...buildWitnesses(resolver, profile),
};

describe('formatWitnesses()', () => {
  it('writes router_check tests, in which the cluster is that of the route that takes the request', () => {
    expect(
      formatWitnesses(witnesses, 'router-check'),
    ).toBe(`# Left out: 1 of 4 witnesses (CONNECT, which has no path).
tests:
  - test_name: "v tenant reached"
    input:
      authority: "any.shop.example"
      path: "/a"
      method: "GET"
      ssl: false
      additional_request_headers:
        - {key: "x-t", value: "it's"}
    validate:
      virtual_host_name: "v"
      cluster_name: "cart"
  - test_name: "v post reached"
    input:
      authority: "any.shop.example"
      path: "/shop.Cart/Add"
      method: "POST"
      ssl: false
    validate:
      virtual_host_name: "v"
      cluster_name: "cart"
  - test_name: "v route 3 never"
    input:
      authority: "any.shop.example"
      path: "/shop.Cart/Add"
      method: "POST"
      ssl: false
    validate:
      virtual_host_name: "v"
      cluster_name: "cart"
`);
  });

  it('leaves CONNECT out: the path of a test of router_check has at least one character', () => {
    expect(witnesses.items.some(({ request }) => request.path === '')).toBe(true);
    for (const format of ['router-check', 'curl'] as const) {
      const text = formatWitnesses(witnesses, format);
      expect(text).toMatch(/^# Left out: 1 of 4 witnesses \(CONNECT, which has no path\)\.\n/);
      expect(text).not.toContain('tunnel');
    }
  });

  it('writes curl lines that read back as the requests', () => {
    const [, ...lines] = formatWitnesses(witnesses, 'curl').trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual([
      '# v: tenant, reached',
      `curl -g --path-as-is --connect-to ::10.0.0.1:80 -X GET -H 'x-t: it'\\''s' http://any.shop.example/a`,
    ]);
    expect(lines[4]).toBe('# v: route 3, never, taken by post');
    const read = lines.filter((line) => line.startsWith('curl')).map((line) => parseRequest(line));
    expect(read.map((each) => each.ok && each.request)).toMatchObject(
      witnesses.items.map(({ request }) => request).filter(({ path }) => path !== ''),
    );
  });

  it('writes grpcurl lines for gRPC requests, and counts the others', () => {
    expect(formatWitnesses(witnesses, 'grpcurl').split('\n').slice(0, 3)).toEqual([
      '# 2 of 4 witnesses are no gRPC requests.',
      '# v: post, reached',
      'grpcurl -plaintext -authority any.shop.example 10.0.0.1:80 shop.Cart/Add',
    ]);
  });
});
