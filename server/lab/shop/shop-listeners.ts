import { LDS } from '@/lib/xds/resource-type';
import type { JsonObject, MeshResource } from './mesh-resource';
import { route, routeConfiguration } from './shop-routes';
import type { ShopState } from './shop-state';

const router: JsonObject = {
  name: 'envoy.filters.http.router',
  typedConfig: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
};

const fault: JsonObject = {
  name: 'envoy.filters.http.fault',
  typedConfig: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault',
    delay: { fixedDelay: '0.080s', percentage: { numerator: 10, denominator: 'HUNDRED' } },
    abort: { grpcStatus: 14, percentage: { numerator: 2, denominator: 'HUNDRED' } },
  },
};

export function httpConnectionManager(
  statPrefix: string,
  routes: JsonObject,
  filters: readonly JsonObject[] = [],
): JsonObject {
  const type =
    'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
  return { '@type': type, statPrefix, ...routes, httpFilters: [...filters, router] };
}

/** Builds a gRPC client's listener (gRFC A27): an ApiListener with an HttpConnectionManager. */
function apiListener(name: string, routes: JsonObject, filters: readonly JsonObject[] = []): MeshResource {
  const json = { name, apiListener: { apiListener: httpConnectionManager(name, routes, filters) } };
  return { typeUrl: LDS.typeUrl, name, json };
}

export function rds(routeConfigName: string): JsonObject {
  return { rds: { routeConfigName, configSource: { ads: {}, resourceApiVersion: 'V3' } } };
}

/** Builds the targets of the clients: `xds:///web.shop.example` and so on. */
export function buildListeners({ reverted }: ShopState): MeshResource[] {
  return [
    apiListener('web.shop.example', rds('web-routes')),
    apiListener('checkout.shop.example', rds('checkout-routes')),
    apiListener('inventory.shop.example', rds('inventory-routes')),
    apiListener(
      'mobile.shop.example',
      {
        routeConfig: routeConfiguration('mobile-routes', [
          route('ios-catalog', {
            prefix: '/shop.v1.Catalog/',
            headers: [{ name: 'x-platform', stringMatch: { exact: 'ios' } }],
            cluster: 'catalog-canary',
          }),
          route('catalog', { prefix: '/shop.v1.Catalog/', cluster: 'catalog-stable' }),
          route('cart', { prefix: '/shop.v1.Cart/', cluster: 'cart' }),
          route('everything-else', {
            prefix: '',
            cluster: 'search',
            maxStreamDuration: `${30 + (reverted.get('missing-listener') ?? 0)}s`,
          }),
        ]),
      },
      [fault],
    ),
    apiListener('orders.shop.example', {
      routeConfig: routeConfiguration('orders-routes', [
        route('list', { path: '/shop.v1.Orders/List', cluster: 'orders' }),
        route('everything-else', { prefix: '', cluster: 'inventory' }),
      ]),
    }),
  ];
}
