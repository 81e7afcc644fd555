import { describe, expect, it } from 'vitest';
import type { ExplainConnection } from '@/lib/requests/request';
import { LDS } from '@/lib/xds/resource-type';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import { cart, edge, routes, start, to } from './edge-mesh';
import { explainIn } from './explained-mesh';

const extension = 'type.googleapis.com/envoy.extensions.';
const table = routes(to('cart', { prefix: '/' }));
const tls = (more: object = {}) => ({
  transportSocket: {
    name: 'tls',
    typedConfig: { '@type': `${extension}transport_sockets.tls.v3.DownstreamTlsContext`, ...more },
  },
});

/** The branches of a request over this connection, at a listener with these fields of its filter chain and its own. */
function branchesOf(chain: object, listener: object = {}, connection: ExplainConnection = {}) {
  const plain = edge({});
  const body = plain.body as { readonly filterChains: readonly { readonly filters: readonly object[] }[] };
  const [own] = body.filterChains;
  const { filters: before = [], ...more } = chain as { readonly filters?: readonly object[] };
  const filterChains = [{ ...own, ...more, filters: [...before, ...(own?.filters ?? [])] }];
  const resources = [
    { typeUrl: LDS.typeUrl, name: plain.name, body: { ...body, filterChains, ...listener } },
    table,
    ...cart,
  ];
  const request = {
    method: 'GET',
    scheme: 'http',
    authority: 'shop.example',
    path: '/',
    headers: [],
  } as const;
  return explainIn(resources, { ...request, connection }, { start }).branches.map(
    ({ kind, text, when }) =>
      `${kind}${when === '' ? '' : ` when ${when}`}${kind === 'failed' ? `: ${text}` : ''}`,
  );
}

const network = (type: string, more: object) => ({
  name: 'network',
  typedConfig: { '@type': `${extension}filters.network.${type}`, ...more },
});
const listenerFilters = (type: string, more: object = {}) => ({
  listenerFilters: [{ name: 'f', typedConfig: { '@type': `${extension}filters.listener.${type}`, ...more } }],
});

describe('a connection', () => {
  it('is served if the filter chain expects nothing of it', () => {
    expect(branchesOf({})).toEqual(['forwarded']);
  });

  it('without TLS is closed by a filter chain with TLS', () => {
    expect(branchesOf(tls(), {}, { isTls: false })).toEqual([
      'failed: the connection is closed: the caller does not use TLS',
    ]);
    expect(branchesOf(tls())).toEqual(['forwarded']);
  });

  it('is served by its certificate if one is required', () => {
    expect(branchesOf(tls({ requireClientCertificate: true }))).toEqual([
      'forwarded when the caller has a certificate that Envoy accepts',
      'failed when the caller has no certificate that Envoy accepts: the connection is closed: the caller has no certificate that Envoy accepts',
    ]);
  });

  it('is served by its header of the PROXY protocol, unless it may be left out', () => {
    const [served, closed] = branchesOf({}, listenerFilters('proxy_protocol.v3.ProxyProtocol'));
    expect(served).toContain('forwarded when the connection begins with a header of the PROXY protocol');
    expect(closed).toContain('does not begin with a header of the PROXY protocol');
    const optional = { allowRequestsWithoutProxyProtocol: true };
    expect(branchesOf({}, listenerFilters('proxy_protocol.v3.ProxyProtocol', optional))).toEqual([
      'forwarded',
    ]);
  });

  it('is closed by a network filter that denies all', () => {
    const rbac = network('rbac.v3.RBAC', { rules: { action: 'ALLOW' } });
    expect(branchesOf({ filters: [rbac] })).toEqual([
      'failed: the connection is closed: filter network denies all connections: it allows by policies, and has none',
    ]);
  });

  it('depends on the token bucket of a network filter', () => {
    const limit = network('local_ratelimit.v3.LocalRateLimit', { tokenBucket: { maxTokens: 1 } });
    expect(branchesOf({ filters: [limit] })).toHaveLength(2);
  });

  it('may have an application protocol that a listener filter reads', () => {
    const match = { filterChainMatch: { applicationProtocols: ['http/1.1'] } };
    expect(branchesOf(match)).toEqual(['failed: no filter chain matches the connection, which is closed']);
    expect(branchesOf(match, listenerFilters('http_inspector.v3.HttpInspector'))).toEqual(['unknown']);
  });
});

describe('a TCP proxy whose cluster the server name (SNI) names', () => {
  const proxy = {
    name: 'tcp',
    typedConfig: { '@type': `${extension}filters.network.tcp_proxy.v3.TcpProxy`, cluster: 'own' },
  };
  const sni = network('sni_cluster.v3.SniCluster', {});
  const state = (text: string, more: object = {}) =>
    network('set_filter_state.v3.Config', {
      onNewConnection: [
        {
          objectKey: 'envoy.tcp_proxy.cluster',
          formatString: { textFormatSource: { inlineString: text } },
          ...more,
        },
      ],
    });
  const clustersOf = (filter: object, connection: ExplainConnection) => {
    const { name, body } = edge({});
    const resources = [
      { typeUrl: LDS.typeUrl, name, body: { ...body, filterChains: [{ filters: [filter, proxy] }] } },
    ];
    const request = {
      method: 'GET',
      scheme: 'https',
      authority: 'shop.example',
      path: '/',
      headers: [],
      connection,
    } as const;
    return explainIn(resources, request, { start }).branches.map(({ cluster, text }) => cluster ?? text);
  };
  const unknown = 'the server name (SNI) of the connection names the cluster, and is not known';

  it('goes to the cluster of this name, and without one to its own', () => {
    expect(clustersOf(sni, { isTls: true, serverName: 'a.example' })).toEqual(['a.example']);
    expect(clustersOf(sni, { isTls: false })).toEqual(['own']);
  });

  it('goes to the cluster that the filter state names', () => {
    const named = state('to_%REQUESTED_SERVER_NAME%', { skipIfEmpty: true });
    expect(clustersOf(named, { isTls: true, serverName: 'a.example' })).toEqual(['to_a.example']);
    expect(clustersOf(named, { isTls: false })).toEqual(['own']);
    expect(clustersOf(state('fixed'), { isTls: false })).toEqual(['fixed']);
    expect(clustersOf(state('%REQUESTED_SERVER_NAME%'), { isTls: false })).toEqual([unknown]);
    expect(clustersOf(state('%DOWNSTREAM_LOCAL_PORT%'), { isTls: true, serverName: 'a' })).toEqual([unknown]);
  });
});

it('a network RBAC filter denies the port at which the listener listens, and not another one', () => {
  const rules = (destinationPort: number) => ({
    rules: {
      action: 'DENY',
      policies: { one: { permissions: [{ destinationPort }], principals: [{ any: true }] } },
    },
  });
  const deniedOf = (port: number, listener: object = {}) => {
    const { typeUrl, name, body } = edge({});
    const [chain] = (body as { readonly filterChains: readonly { readonly filters: readonly object[] }[] })
      .filterChains;
    const filters = [network('rbac.v3.RBAC', rules(port)), ...(chain?.filters ?? [])];
    const mesh = [
      { typeUrl, name, body: { ...body, filterChains: [{ filters }], ...listener } },
      table,
      ...cart,
    ];
    const { chains } = resolverOver(mesh, { start, profile: 'envoy' }).listener;
    return chains.flatMap(({ otherFilters }) => otherFilters.map(({ denied }) => denied));
  };
  expect(deniedOf(80)).toEqual(['denies all connections: policy "one" matches each']);
  expect(deniedOf(81)).toEqual(['']);
  expect(deniedOf(80, { useOriginalDst: true })).toEqual([
    expect.stringContaining('that match one of its policies'),
  ]);
});
