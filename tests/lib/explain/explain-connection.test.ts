import { describe, expect, it } from 'vitest';
import type { ExplainConnection } from '@/lib/requests/request';
import { LDS } from '@/lib/xds/resource-type';
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
