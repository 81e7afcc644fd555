import { describe, expect, it } from 'vitest';
import { describeDenied } from '@/lib/resolve/nothing-served';
import { statusOfCluster } from '@/lib/resolve/xds-config';
import { newestOf, type Who } from '@/lib/xds/profile';
import { LDS } from '@/lib/xds/resource-type';
import { resolverOver } from '../../support/builders/resolve-mesh';
import { edsCluster, endpoints, type MeshResource } from '../../support/builders/topology-mesh';

const filters = 'type.googleapis.com/envoy.extensions.filters';
const toCart = { match: { prefix: '' }, route: { cluster: 'cart' } };

function fault(numerator: number, more: object = {}): object {
  const abort = { httpStatus: 503, percentage: { numerator } };
  return { '@type': `${filters}.http.fault.v3.HTTPFault`, abort, ...more };
}

interface Parts {
  readonly routes?: readonly object[];
  readonly host?: object;
  readonly fault?: object;
}

function meshOf({ routes = [toCart], host = {}, fault: typedConfig }: Parts): MeshResource[] {
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    routeConfig: { name: 'r', virtualHosts: [{ name: 'all', domains: ['*'], routes, ...host }] },
    httpFilters: [
      ...(typedConfig === undefined ? [] : [{ name: 'fault', typedConfig }]),
      { name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } },
    ],
  };
  return [
    { typeUrl: LDS.typeUrl, name: 'shop', body: { name: 'shop', apiListener: { apiListener: manager } } },
    edsCluster('cart'),
    endpoints('cart', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
  ];
}

const errorOf = (parts: Parts, profile: Who = 'core') =>
  resolverOver(meshOf(parts), { profile }).listener.error;
const host = 'virtual host "all" of route configuration "r"';
const aborts = 'filter "fault" aborts every request with gRPC status UNAVAILABLE';
const disabled = { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', disabled: true };

describe('a config of which every RPC fails', () => {
  const cases: readonly (readonly [what: string, parts: Parts, error: string])[] = [
    ['a route to a cluster', {}, ''],
    ['no routes', { routes: [] }, `${host} has no routes`],
    [
      'a route that answers itself',
      { routes: [{ match: { prefix: '' }, directResponse: { status: 200 } }] },
      `${host} serves no RPC: gRPC forwards no RPC for a route with this action`,
    ],
    [
      'a route that answers itself before one to a cluster',
      { routes: [{ match: { prefix: '/a.B/' }, directResponse: { status: 200 } }, toCart] },
      '',
    ],
    [
      'a route whose path no RPC has',
      { routes: [{ match: { prefix: 'no-slash' }, route: { cluster: 'cart' } }] },
      `${host} serves no RPC: C-core drops a route whose path cannot be /service/method`,
    ],
    ['a fault filter that aborts each RPC', { fault: fault(100) }, `${host} serves no RPC: ${aborts}`],
    ['a fault filter that aborts a part', { fault: fault(50) }, ''],
    ['a fault filter that aborts none', { fault: fault(0) }, ''],
    ['a fault filter with a limit', { fault: fault(100, { maxActiveFaults: 1 }) }, ''],
    [
      'a fault filter that a virtual host disables',
      { fault: fault(100), host: { typedPerFilterConfig: { fault: disabled } } },
      '',
    ],
    [
      'a fault of a virtual host',
      { fault: fault(0), host: { typedPerFilterConfig: { fault: fault(100) } } },
      `${host} serves no RPC: ${aborts}`,
    ],
    [
      'a route that overrides the fault of its virtual host',
      {
        fault: fault(0),
        host: { typedPerFilterConfig: { fault: fault(100) } },
        routes: [{ ...toCart, typedPerFilterConfig: { fault: fault(0) } }],
      },
      '',
    ],
  ];
  it.each(cases)('%s', (_, parts, error) => expect(errorOf(parts)).toBe(error));

  it('is no config of an Envoy, which answers requests itself', () => {
    const routes = [{ match: { prefix: '' }, directResponse: { status: 200 } }];
    expect(errorOf({ routes }, 'envoy')).toBe('');
  });

  it('keeps its clusters, which can be looked at', () => {
    const resolver = resolverOver(meshOf({ fault: fault(100) }));
    expect(resolver.status).toBe('error');
    const cart = resolver.findCluster('cart');
    expect(cart && statusOfCluster(cart)).toBe('ok');
  });
});

describe('what filters deny', () => {
  const deniedOf = (parts: Parts) =>
    describeDenied(resolverOver(meshOf(parts)).listener.chains, newestOf('core'));

  it('is stated with its share, and where routes override it', () => {
    expect(deniedOf({})).toBe('');
    expect(deniedOf({ fault: fault(50) })).toBe(
      'filter "fault" aborts 50% of requests with gRPC status UNAVAILABLE',
    );
    const routes = [{ ...toCart, typedPerFilterConfig: { fault: disabled } }, toCart];
    expect(deniedOf({ fault: fault(100), routes })).toBe(`${aborts} on some routes`);
  });
});
