import { describe, expect, it } from 'vitest';
import { diffLines } from '@/lib/diff/diff-lines';
import { diffValues } from '@/lib/diff/diff-values';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { asRead, diffOf, finder, messageOf } from '@/tests/support/diff-story';

const linesOf = (typeUrl: string, before: unknown, after: unknown) => [
  ...diffLines(diffOf(typeUrl, before, after)),
];
const noneBut = (reordered: number, notation = 0) => ({ changes: 0, reordered, notation });
const header = (key: string, value: string) => ({ header: { key, value } });
const chain = (port: number) => ({
  filterChainMatch: { destinationPort: port },
  filters: [{ name: 'envoy.filters.network.tcp_proxy' }],
});
const endpoint = (address: string, weight: number) => ({
  endpoint: { address: { socketAddress: { address, portValue: 80 } } },
  loadBalancingWeight: weight,
});

describe('what users of other diffs asked for', () => {
  it('istio#14127: filter chains and keys in another order are no difference', () => {
    const before = { name: 'in', filterChains: [chain(80), chain(443)] };
    const after = { filterChains: [chain(443), chain(80)], name: 'in' };
    expect(diffOf(LDS.typeUrl, before, after)?.totals).toEqual(noneBut(1));
    expect(linesOf(LDS.typeUrl, before, after)).toEqual([]);
  });

  it('istio#10293: request headers to add in another order are no difference, those of one name are', () => {
    const withHeaders = (...headers: object[]) => ({ name: 'r', requestHeadersToAdd: headers });
    const [retries, on] = [header('x-envoy-max-retries', '10'), header('x-envoy-retry-on', '5xx')];
    const turned = diffOf(RDS.typeUrl, withHeaders(retries, on), withHeaders(on, retries));
    expect(turned?.totals).toEqual(noneBut(1));
    const [a, b] = [header('via', 'a'), header('via', 'b')];
    const [line, ...others] = linesOf(RDS.typeUrl, withHeaders(a, on, b), withHeaders(on, b, a));
    expect(others).toEqual([]);
    expect(line).toMatchObject({ kind: 'moved', path: 'requestHeadersToAdd[via]' });
  });

  it('istio#23735: a resource of the v2 API and the same of v3 are no difference', () => {
    const read = (typeUrl: string, manager: string) =>
      asRead(typeUrl, {
        name: 'in',
        filterChains: [
          {
            filters: [
              {
                name: 'http',
                typedConfig: { '@type': `type.googleapis.com/${manager}`, statPrefix: 'http' },
              },
            ],
          },
        ],
      });
    const v2 = read(
      'type.googleapis.com/envoy.api.v2.Listener',
      'envoy.config.filter.network.http_connection_manager.v2.HttpConnectionManager',
    );
    const v3 = read(
      LDS.typeUrl,
      'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    );
    expect(v2).toMatchObject({ filterChains: [{ filters: [{ typedConfig: { statPrefix: 'http' } }] }] });
    expect(diffValues(finder, v2, v3, messageOf(LDS.typeUrl))).toBe(null);
  });

  it('istio#23735: an extension by its v2 name and by its name of today is the same one', () => {
    const manager = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
    const listener = (network: string, http: readonly string[], tls: string) => ({
      name: 'in',
      listenerFilters: [{ name: tls }],
      filterChains: [
        {
          filters: [
            {
              name: network,
              typedConfig: {
                '@type': `type.googleapis.com/${manager}`,
                statPrefix: 'http',
                httpFilters: http.map((name) => ({ name })),
              },
            },
          ],
        },
      ],
    });
    const v2 = listener(
      'envoy.http_connection_manager',
      ['envoy.fault', 'envoy.router'],
      'envoy.listener.tls_inspector',
    );
    const http = ['envoy.filters.http.fault', 'envoy.filters.http.router'];
    const [network, tls] = [
      'envoy.filters.network.http_connection_manager',
      'envoy.filters.listener.tls_inspector',
    ];
    const diff = diffOf(LDS.typeUrl, v2, listener(network, http, tls));
    expect(diff?.totals).toEqual(noneBut(0, 4));
    expect(linesOf(LDS.typeUrl, v2, listener(network, [...http].reverse(), tls))).toMatchObject([
      { kind: 'moved' },
    ]);
    // The former name of an HTTP filter is not one of a network filter.
    expect(linesOf(LDS.typeUrl, v2, listener('envoy.router', http, tls))).not.toEqual([]);
  });

  it('istio#23735: config of a filter is found by the former name of the filter, too', () => {
    const host = (name: string, status: number) => ({
      name: 'routes',
      virtualHosts: [
        {
          name: 'shop',
          typedPerFilterConfig: {
            [name]: {
              '@type': 'type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault',
              abort: { httpStatus: status },
            },
          },
        },
      ],
    });
    const [before, now] = ['envoy.fault', 'envoy.filters.http.fault'];
    const diff = diffOf(RDS.typeUrl, host(before, 503), host(now, 503));
    expect(diff?.totals).toEqual(noneBut(0, 1));
    // A changed value under the other name is one line with both names.
    expect(linesOf(RDS.typeUrl, host(before, 503), host(now, 500))).toMatchObject([
      {
        kind: 'changed',
        path: 'virtualHosts[shop].typedPerFilterConfig["envoy.filters.http.fault", before "envoy.fault"].abort.httpStatus',
        before: '503',
        after: '500',
      },
    ]);
    // The former name of a network filter is a different key here.
    expect(linesOf(RDS.typeUrl, host('envoy.tcp_proxy', 503), host(now, 503))).toHaveLength(2);
  });

  it('istio#21709, istio#12958, consul#19605: a default that is written out is no difference', () => {
    const written = { name: 'c', type: 'EDS', lbPolicy: 'ROUND_ROBIN' };
    const message = messageOf(CDS.typeUrl);
    const diff = diffValues(finder, { name: 'c', type: 'EDS' }, written, message);
    expect(diff?.totals).toEqual(noneBut(0, 1));
    const priority = diffValues(
      finder,
      { clusterName: 'c', endpoints: [{ locality: { zone: 'a' } }] },
      { clusterName: 'c', endpoints: [{ locality: { zone: 'a' }, priority: 0 }] },
      messageOf(EDS.typeUrl),
    );
    expect(priority?.totals).toEqual(noneBut(0, 1));
  });

  it('an unset wrapper is not zero, unless the API defines it so', () => {
    const [unset, zero] = [{ name: 'c' }, { name: 'c', perConnectionBufferLimitBytes: 0 }];
    expect(linesOf(CDS.typeUrl, unset, zero)).toMatchObject([
      { kind: 'added', path: 'perConnectionBufferLimitBytes', after: '0' },
    ]);
    const route = (caseSensitive: object) => ({
      name: 'r',
      virtualHosts: [{ name: 'v', routes: [{ match: { prefix: '/', ...caseSensitive } }] }],
    });
    const documented = diffOf(RDS.typeUrl, route({}), route({ caseSensitive: true }));
    expect(documented?.totals).toEqual(noneBut(0, 1));
    expect(linesOf(RDS.typeUrl, route({}), route({ caseSensitive: false }))).toMatchObject([
      { kind: 'changed', before: 'true (default)', after: 'false' },
    ]);
  });

  it('istio#49713: unknown types and fields are compared, not stumbled over', () => {
    const filter = (text: string) => ({
      name: 'l',
      filterChains: [
        {
          name: 'c',
          filters: [
            {
              name: 'acme',
              typedConfig: {
                '@type': 'type.googleapis.com/acme.Filter',
                'xdscope.opaque': { valueBase64: Buffer.from(text).toString('base64') },
              },
            },
          ],
        },
      ],
    });
    expect(linesOf(LDS.typeUrl, filter('a'), filter('a'))).toEqual([]);
    const paths = linesOf(LDS.typeUrl, filter('a'), filter('b')).map(({ path }) => path);
    expect(paths).toContain('filterChains[c].filters[acme].typedConfig["xdscope.opaque"].valueBase64');
    const message = messageOf(CDS.typeUrl);
    const unknown = (field: number, value: string) => ({ field, wireType: 'varint', value });
    const before = { name: 'c', 'xdscope.unknown': [unknown(900, '1'), unknown(901, '2')] };
    const turned = { name: 'c', 'xdscope.unknown': [unknown(901, '2'), unknown(900, '1')] };
    const other = { name: 'c', 'xdscope.unknown': [unknown(900, '1'), unknown(901, '3')] };
    expect(diffValues(finder, before, turned, message)?.totals).toEqual(noneBut(1));
    expect([...diffLines(diffValues(finder, before, other, message))]).toMatchObject([
      { kind: 'changed', path: '["xdscope.unknown"][field 901].value', before: '"2"', after: '"3"' },
    ]);
  });

  it('istio#28825, istio#6542: before and after of endpoints, one line for each that differs', () => {
    const of = (...lbEndpoints: object[]) => ({
      clusterName: 'c',
      endpoints: [{ locality: { region: 'eu', zone: 'eu-1' }, lbEndpoints }],
    });
    const before = of(endpoint('10.0.0.1', 1), endpoint('10.0.0.2', 1), endpoint('10.0.0.3', 5));
    const after = of(endpoint('10.0.0.3', 7), endpoint('10.0.0.4', 1), endpoint('10.0.0.2', 1));
    expect(linesOf(EDS.typeUrl, before, after)).toMatchObject([
      {
        kind: 'changed',
        path: 'endpoints[eu / eu-1].lbEndpoints[10.0.0.3:80].loadBalancingWeight',
        before: '5',
        after: '7',
      },
      { kind: 'added', path: 'endpoints[eu / eu-1].lbEndpoints[10.0.0.4:80]' },
      { kind: 'removed', path: 'endpoints[eu / eu-1].lbEndpoints[10.0.0.1:80]' },
    ]);
  });
});

describe('diffLines', () => {
  const routes = (...names: string[]) => ({
    name: 'r',
    virtualHosts: [
      {
        name: 'shop',
        domains: ['*'],
        routes: names.map((name) => ({ match: { prefix: `/${name}` }, route: { cluster: name } })),
      },
    ],
  });

  it('shows one changed weight as one line', () => {
    const split = (weight: number) => ({
      name: 'r',
      virtualHosts: [
        {
          name: 'shop',
          routes: [
            {
              name: 'all',
              match: { prefix: '/' },
              route: {
                weightedClusters: {
                  clusters: [
                    { name: 'v1', weight },
                    { name: 'v2', weight: 20 },
                  ],
                },
              },
            },
          ],
        },
      ],
    });
    expect(linesOf(RDS.typeUrl, split(80), split(60))).toEqual([
      {
        kind: 'changed',
        path: 'virtualHosts[shop].routes[all].route.weightedClusters.clusters[v1].weight',
        before: '80',
        after: '60',
        reason: '',
      },
    ]);
  });

  it('shows a route that was put before the others as one line, and one that moved as one line', () => {
    expect(linesOf(RDS.typeUrl, routes('a', 'b', 'c'), routes('x', 'a', 'b', 'c'))).toMatchObject([
      { kind: 'added', path: 'virtualHosts[shop].routes[prefix /x]' },
    ]);
    expect(linesOf(RDS.typeUrl, routes('a', 'b', 'c'), routes('b', 'c', 'a'))).toMatchObject([
      { kind: 'moved', path: 'virtualHosts[shop].routes[prefix /a]', before: 'place 0', after: 'place 2' },
    ]);
  });

  it('takes a fallback list in its order', () => {
    const type = 'type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig';
    expect(linesOf(type, { clusters: ['a', 'b'] }, { clusters: ['b', 'a'] })).toHaveLength(1);
    expect(linesOf(type, { clusters: ['a', 'b', 'c'] }, { clusters: ['a', 'x', 'c'] })).toMatchObject([
      { kind: 'changed', before: '"b"', after: '"x"' },
    ]);
  });

  it('shows a locality that changed its priority as one line', () => {
    const of = (priority: number) => ({
      clusterName: 'c',
      endpoints: [{ locality: { zone: 'a' }, priority, lbEndpoints: [endpoint('10.0.0.1', 1)] }],
    });
    expect(linesOf(EDS.typeUrl, of(0), of(1))).toMatchObject([
      { kind: 'changed', path: 'endpoints[a priority 1].priority', before: '0 (default)', after: '1' },
    ]);
  });
});
