import { describe, expect, it } from 'vitest';
import { type EndpointFailure, type Failing, noFailing } from '@/lib/facts/failing-endpoints';
import { RDS } from '@/lib/xds/resource-type';
import { apiListener, edsCluster, endpoints } from '@/tests/support/builders/topology-mesh';
import { requestOf } from '../requests/matched-requests';
import { cart, edge, explainAtEdge, routes, start, to } from './edge-mesh';
import { explainIn, linesOf } from './explained-mesh';

describe('a request to an Envoy', () => {
  it('is followed from the listener to the endpoint, with what each earlier route lacks', () => {
    const blue = to('cart', { prefix: '/cart', headers: [{ name: 'x-color', exactMatch: 'blue' }] }, 'blue');
    const trace = explainAtEdge(
      [edge(), routes(to('cart', { path: '/' }, 'home'), blue, to('cart', { prefix: '/' })), ...cart],
      'GET shop.example/cart',
    );
    expect(linesOf(trace)).toEqual([
      'taken listener edge: it listens at 10.0.0.1:80',
      'taken filter chain web: it matches every connection @filterChains[0]',
      'taken connection manager: host and path are not changed @filterChains[0].filters[0].typedConfig',
      'taken route configuration routes: the listener names it (RDS)',
      'taken virtual host shop: domain "shop.example" is the most specific that matches authority "shop.example" @virtualHosts[0]',
      'not-taken route 1 "home": path "/cart" must be "/" @virtualHosts[0].routes[0].match.path',
      'not-taken route 2 "blue": header x-color is absent, and its value must be "blue" @virtualHosts[0].routes[1].match.headers[0]',
      'taken route 3: all its conditions hold @virtualHosts[0].routes[2]',
      'taken filter router: it forwards the request @filterChains[0].filters[0].typedConfig.httpFilters[0]',
      'taken action of route 3: to cluster cart @virtualHosts[0].routes[2].route.cluster',
      'taken cluster cart',
      'taken endpoint 10.0.0.2:80',
    ]);
    expect(trace.branches).toEqual([
      {
        ...{ kind: 'forwarded', when: '', text: 'forwarded to cluster cart', listener: 'edge' },
        ...{ filterChain: 'filter chain web', virtualHost: 'shop', route: 'route 3', cluster: 'cart' },
        endpoints: [{ address: '10.0.0.2:80', priority: 'P0', locality: 'eu / a', percent: 100 }],
      },
    ]);
  });

  const table = routes(
    to('gone', { path: '/gone' }),
    { match: { path: '/gone404' }, route: { cluster: 'gone', clusterNotFoundResponseCode: 'NOT_FOUND' } },
    to('empty', { path: '/empty' }),
    { match: { path: '/moved' }, redirect: { hostRedirect: 'new.example', responseCode: 'FOUND' } },
    { match: { path: '/direct' }, directResponse: { status: 418 } },
    { match: { path: '/header' }, route: { clusterHeader: 'x-cluster' } },
  );
  const all = [edge(), table, ...cart, edsCluster('empty'), endpoints('empty', [])];
  it.each([
    ['/none', [], { kind: 'failed', status: 404, flag: 'NR' }],
    ['/gone', [], { kind: 'failed', status: 503, flag: 'NC', cluster: 'gone' }],
    ['/gone404', [], { kind: 'failed', status: 404, flag: 'NC' }],
    ['/empty', [], { kind: 'failed', status: 503, flag: 'UH', cluster: 'empty' }],
    ['/moved?a', [], { kind: 'answered', status: 302, location: 'http://new.example/moved?a' }],
    ['/direct', [], { kind: 'answered', status: 418 }],
    ['/header', [], { kind: 'failed', status: 503, flag: 'NC' }],
    ['/header', ['x-cluster: cart'], { kind: 'forwarded', cluster: 'cart' }],
    ['/header', ['x-cluster: other'], { kind: 'failed', status: 503, flag: 'NC', cluster: 'other' }],
  ])('to %s with %o is answered with %o', (path, headers, expected) => {
    expect(explainAtEdge(all, `GET shop.example${path}`, ...headers).branches).toMatchObject([expected]);
  });

  it('to another host is answered with 404, flag NR', () => {
    const { branches, steps } = explainAtEdge(all, 'GET other.example/');
    expect(branches).toMatchObject([{ kind: 'failed', status: 404, flag: 'NR' }]);
    expect(steps.slice(-2)).toMatchObject([
      { stage: 'virtual-host', verdict: 'not-taken' },
      { stage: 'http-filter', reason: 'it answers itself: there is no route' },
    ]);
  });

  it('has a branch for each weighted cluster, with its share', () => {
    const weightedClusters = {
      clusters: [
        { name: 'cart', weight: 1 },
        { name: 'gone', weight: 3 },
        { name: 'unused', weight: 0 },
      ],
    };
    const weighted = routes({ match: { prefix: '/' }, route: { weightedClusters } });
    expect(explainAtEdge([edge(), weighted, ...cart], 'GET shop.example/').branches).toMatchObject([
      { kind: 'forwarded', cluster: 'cart', when: 'weight 1 of 4', percent: 25 },
      { kind: 'failed', cluster: 'gone', when: 'weight 3 of 4', percent: 75, flag: 'NC' },
    ]);
  });

  it('has a branch for a route that takes a share of the requests, and one for the rest', () => {
    const some = { prefix: '/', runtimeFraction: { defaultValue: { numerator: 30 } } };
    const table = routes(to('gone', some, 'some'), to('cart', { prefix: '/' }, 'rest'));
    expect(explainAtEdge([edge(), table, ...cart], 'GET shop.example/').branches).toMatchObject([
      { route: 'some', percent: 30, when: 'some matches: it matches 30% of requests, chosen at random' },
      { route: 'rest', percent: 70, when: 'some does not match: rest' },
    ]);
  });

  it('has no share where a condition depends on something else', () => {
    const state = { prefix: '/', filterState: [{ key: 'k' }] };
    const table = routes(to('cart', state, 'some'));
    const { branches } = explainAtEdge([edge(), table, ...cart], 'GET shop.example/');
    expect(branches.map(({ route, percent, status }) => [route, percent, status])).toEqual([
      ['some', undefined, undefined],
      [undefined, undefined, 404],
    ]);
  });

  it('has no metadata when the route is chosen, before the first filter', () => {
    const value = { stringMatch: { exact: 'a' } };
    const matcherOf = (more: object = {}) => ({
      prefix: '/',
      dynamicMetadata: [{ filter: 'n', path: [{ key: 'k' }], value, ...more }],
    });
    const table = routes(
      to('gone', matcherOf(), 'first'),
      to('cart', matcherOf({ invert: true }), 'inverted'),
    );
    expect(explainAtEdge([edge(), table, ...cart], 'GET shop.example/').branches).toMatchObject([
      { kind: 'forwarded', route: 'inverted' },
    ]);
  });

  it('is redirected to HTTPS by require_tls', () => {
    const body = { virtualHosts: [{ name: 'v', domains: ['*'], requireTls: 'ALL', routes: [] }] };
    const table = { typeUrl: RDS.typeUrl, name: 'routes', body };
    expect(explainAtEdge([edge(), table], 'GET shop.example/a').branches).toMatchObject([
      { kind: 'answered', status: 301, location: 'https://shop.example/a' },
    ]);
  });

  it.each([
    ['no address is internal without a config', {}, '10.1.2.3', [], 301],
    ['the address of the caller', { useRemoteAddress: true }, '10.1.2.3', [], 404],
    ['another address', { useRemoteAddress: true }, '11.1.2.3', [], 301],
    ['an address that is not known', { useRemoteAddress: true }, undefined, [], undefined],
    ['a caller that forwards', { useRemoteAddress: true }, '10.1.2.3', ['x-forwarded-for: 10.1.2.4'], 301],
    ['without use_remote_address, no header', {}, '10.1.2.3', [], 301],
    ['one address in the header', {}, '11.1.2.3', ['x-forwarded-for: 10.1.2.4'], 404],
    ['two addresses in the header', {}, '10.1.2.3', ['x-forwarded-for: 10.1.2.4, 10.1.2.5'], 301],
  ])(
    'of an external caller alone is redirected by EXTERNAL_ONLY: %s',
    (name, own, sourceAddress, headers, status) => {
      const ranges = { cidrRanges: [{ addressPrefix: '10.0.0.0', prefixLen: 8 }] };
      const manager = name.includes('without a config') ? own : { ...own, internalAddressConfig: ranges };
      const body = { virtualHosts: [{ name: 'v', domains: ['*'], requireTls: 'EXTERNAL_ONLY', routes: [] }] };
      const table = { typeUrl: RDS.typeUrl, name: 'routes', body };
      const request = { ...requestOf('GET shop.example/a', ...headers), connection: { sourceAddress } };
      expect(explainIn([edge({ manager }), table], request, { start }).branches[0]?.status).toBe(status);
    },
  );

  it('is not decided by a route configuration that is awaited', () => {
    const { branches, steps } = explainAtEdge([edge()], 'GET shop.example/');
    expect(branches).toMatchObject([{ kind: 'unknown' }]);
    expect(steps.at(-1)).toMatchObject({ stage: 'route-config', verdict: 'unknown' });
  });

  it('has the settings that apply: timeout, retries, rewrite', () => {
    const route = { cluster: 'cart', timeout: '3s', prefixRewrite: '/v2', retryPolicy: { retryOn: '5xx' } };
    const table = routes({ match: { prefix: '/v1' }, route });
    const { steps } = explainAtEdge([edge(), table, ...cart], 'GET shop.example/v1/a');
    expect(steps.find(({ stage }) => stage === 'action')?.settings).toEqual([
      { name: 'Timeout', value: '3s' },
      { name: 'Retries', value: '1 on 5xx, by the route' },
      { name: 'Path rewrite', value: '/v2/a' },
    ]);
  });

  it('has no known status if hosts get requests that fail', () => {
    const mesh = [edge(), routes(to('cart', { prefix: '/' })), ...cart];
    const statesOf = (failing: Partial<Failing>) =>
      explainIn(mesh, requestOf('GET shop.example/'), { start, failing: { ...noFailing, ...failing } })
        .branches;
    const failingTo = (failure: EndpointFailure) => ({ endpoints: new Map([['cart 10.0.0.2:80', failure]]) });
    const load = { minutes: 5, isWhole: true, addresses: [], localities: [], isUnanswered: true } as const;
    for (const failing of [failingTo('requests'), { loads: new Map([['cart', load]]) }]) {
      const [branch] = statesOf(failing);
      expect([branch?.kind, branch?.status, branch?.flag]).toEqual(['failed', undefined, undefined]);
    }
    expect(statesOf(failingTo('connection'))).toMatchObject([{ kind: 'failed', status: 503, flag: 'UF' }]);
  });

  it('has the time limits of the route, else those of the connection manager', () => {
    const options = {
      '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      commonHttpProtocolOptions: { maxStreamDuration: '7s' },
    };
    const typedExtensionProtocolOptions = {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': options,
    };
    const mesh = cart.map((each) => ({ ...each, body: { ...each.body, typedExtensionProtocolOptions } }));
    const limitsOf = (more: object) => {
      const manager = {
        ...{ streamIdleTimeout: '0s', requestTimeout: '9s' },
        commonHttpProtocolOptions: { maxStreamDuration: '8s' },
      };
      const table = routes({ match: { prefix: '/' }, route: { cluster: 'cart', timeout: '0s', ...more } });
      const { steps } = explainAtEdge([edge({ manager }), table, ...mesh], 'GET shop.example/');
      return steps.flatMap(({ settings = [] }) =>
        settings.flatMap(({ name, value }) =>
          /^(?!Retries|Circuit|TLS)/.test(name) ? [`${name}: ${value}`] : [],
        ),
      );
    };
    const ofOthers = [
      'Timeout to receive the request: 9s, by the connection manager',
      'Max stream duration: 7s, by the cluster',
    ];
    expect(limitsOf({})).toEqual([
      'Timeout: none (0s)',
      'Idle timeout: none (0s), by the connection manager',
      'Max stream duration: 8s, by the connection manager',
      ...ofOthers,
    ]);
    const own = {
      ...{ idleTimeout: '1s', maxStreamDuration: { maxStreamDuration: '2s', grpcTimeoutHeaderMax: '3s' } },
      retryPolicy: { perTryTimeout: '4s', perTryIdleTimeout: '5s' },
    };
    expect(limitsOf(own)).toEqual([
      'Timeout: none (0s)',
      'Idle timeout: 1s, by the route',
      'Max stream duration: 2s, by the route',
      'Limit of grpc-timeout: 3s, by the route',
      'Timeout of each try: 4s, by the retry policy',
      'Idle timeout of each try: 5s, by the retry policy',
      ...ofOthers,
    ]);
  });
});

describe('the filter chain of a connection', () => {
  const chainsOf = (...matches: readonly object[]) =>
    edge({ chains: matches.map((match, at) => ({ name: `c${at}`, match, clusters: 'cart' })) });
  const choose = (matches: readonly object[], line: string, connection: object = {}) => {
    const request = { ...requestOf(line), connection };
    const { steps, branches } = explainIn([chainsOf(...matches), ...cart], request, { start });
    const taken = steps.find(({ stage, verdict }) => stage === 'filter-chain' && verdict === 'taken');
    return taken?.title.replace('filter chain ', '') ?? branches[0]?.kind;
  };

  it.each([
    ['a port that matches is more specific than none', [{}, { destinationPort: 80 }], 'http://a/', {}, 'c1'],
    ['a port that differs excludes the chain', [{}, { destinationPort: 81 }], 'http://a/', {}, 'c0'],
    [
      'the longest address range is the most specific',
      [range('prefixRanges', '10.0.0.0', 8), range('prefixRanges', '10.0.0.0', 24)],
      'http://a/',
      {},
      'c1',
    ],
    [
      'a server name is matched exactly before a wildcard',
      [sni('*.b.c'), sni('a.b.c')],
      'https://a.b.c/',
      {},
      'c1',
    ],
    ['a longer wildcard before a shorter one', [sni('*.c'), sni('*.b.c')], 'https://a.b.c/', {}, 'c1'],
    ['a wildcard does not match its own domain', [sni('*.b.c'), {}], 'https://b.c/', {}, 'c1'],
    ['a server name needs TLS', [sni('a'), {}], 'http://a/', {}, 'c1'],
    [
      'the server name of the connection outranks that of the authority',
      [sni('a'), sni('b')],
      'https://a/',
      { serverName: 'b' },
      'c1',
    ],
    ['TLS has the transport protocol tls', [tls('raw_buffer'), tls('tls')], 'https://a/', {}, 'c1'],
    ['other connections have raw_buffer', [tls('tls'), tls('raw_buffer')], 'http://a/', {}, 'c1'],
    [
      'the first application protocol of the caller that a chain lists decides',
      [{ applicationProtocols: ['http/1.1'] }, { applicationProtocols: ['h2'] }],
      'https://a/',
      { applicationProtocols: ['h2', 'http/1.1'] },
      'c1',
    ],
    [
      'the destination port is considered before the server name',
      [{ destinationPort: 80 }, sni('a')],
      'https://a/',
      {},
      'c0',
    ],
    [
      'the source address is matched if it is known',
      [range('sourcePrefixRanges', '1.2.0.0', 16), {}],
      'http://a/',
      { sourceAddress: '1.2.3.4' },
      'c0',
    ],
    [
      'the source type is that of the source address',
      [{ sourceType: 'SAME_IP_OR_LOOPBACK' }, { sourceType: 'EXTERNAL' }],
      'http://a/',
      { sourceAddress: '1.2.3.4' },
      'c1',
    ],
    ['the source port is matched', [{ sourcePorts: [5] }, {}], 'http://a/', { sourcePort: 5 }, 'c0'],
    [
      'an unknown source decides nothing',
      [range('sourcePrefixRanges', '1.2.0.0', 16), {}],
      'http://a/',
      {},
      'unknown',
    ],
    [
      'unknown application protocols decide nothing',
      [{ applicationProtocols: ['h2'] }, {}],
      'https://a/',
      {},
      'unknown',
    ],
    ['a connection that no chain matches is closed', [{ destinationPort: 81 }], 'http://a/', {}, 'failed'],
  ])('%s', (_, matches, line, connection, expected) => {
    expect(choose(matches, `GET ${line}`, connection)).toBe(expected);
  });

  it('states why each other chain is not used', () => {
    const request = requestOf('GET https://a/');
    const trace = explainIn([chainsOf({ destinationPort: 81 }, sni('b'), {}), ...cart], request, { start });
    expect(linesOf(trace).slice(1, 4)).toEqual([
      'not-taken filter chain c0: the destination port is 80, and must be 81 @filterChains[0].filterChainMatch.destinationPort',
      'not-taken filter chain c1: the server name (SNI) is a, and must be b @filterChains[1].filterChainMatch.serverNames',
      'taken filter chain c2: it matches the connection most specifically @filterChains[2]',
    ]);
  });

  function range(field: string, addressPrefix: string, prefixLen: number): object {
    return { [field]: [{ addressPrefix, prefixLen }] };
  }

  function sni(...serverNames: readonly string[]): object {
    return { serverNames };
  }

  function tls(transportProtocol: string): object {
    return { transportProtocol };
  }
});

describe('a request to a gRPC client', () => {
  const shop = [
    apiListener('shop', { rds: 'routes' }),
    {
      typeUrl: RDS.typeUrl,
      name: 'routes',
      body: {
        virtualHosts: [
          {
            ...{ name: 'v', domains: ['shop'] },
            routes: [
              to('cart', { path: '/shop.Cart/Add', queryParameters: [{ name: 'a' }] }),
              to('cart', { path: '/shop.Cart/Add' }, 'add'),
              to('gone', { path: '/shop.Cart/Get' }, 'get'),
            ],
          },
        ],
      },
    },
    ...cart,
  ];
  const startOfShop = { listener: 'shop', authority: 'shop' };
  const explainRpc = (path: string, client: 'core' | 'go' | 'java' | 'node' = 'go') =>
    explainIn(shop, requestOf(`POST shop${path}`), { start: startOfShop, client });

  it('begins at the API listener, and skips a route that the client drops', () => {
    expect(linesOf(explainRpc('/shop.Cart/Add'))).toEqual([
      'taken listener shop: an API listener',
      'taken route configuration routes: the listener names it (RDS)',
      'taken virtual host v: domain "shop" is the most specific that matches authority "shop" @virtualHosts[0]',
      'not-taken route 1: gRPC never uses a route with query parameters @virtualHosts[0].routes[0]',
      'taken route 2 "add": all its conditions hold @virtualHosts[0].routes[1]',
      'taken filter envoy.filters.http.router: it forwards the request @apiListener.apiListener.httpFilters[0]',
      'taken action of add: to cluster cart @virtualHosts[0].routes[1].route.cluster',
      'taken cluster cart',
      'taken endpoint 10.0.0.2:80',
    ]);
  });

  it('fails with UNAVAILABLE where no route matches', () => {
    for (const client of ['core', 'go', 'java', 'node'] as const)
      expect(explainRpc('/shop.Cart/Pay', client).branches).toMatchObject([
        { kind: 'failed', grpcCode: 'UNAVAILABLE', virtualHost: 'v' },
      ]);
  });

  it('fails as a whole where no virtual host matches the target', () => {
    const { branches } = explainIn(shop, requestOf('POST x/a/b'), {
      ...{ client: 'go', start: { listener: 'shop', authority: 'other' } },
    });
    expect(branches).toMatchObject([{ kind: 'failed', grpcCode: 'UNAVAILABLE', listener: 'shop' }]);
  });
});
