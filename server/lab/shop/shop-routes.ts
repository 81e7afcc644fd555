import { RDS } from '@/lib/xds/resource-type';
import type { JsonObject, MeshResource } from './mesh-resource';
import type { ShopState } from './shop-state';

interface RouteSpec {
  prefix?: string;
  path?: string;
  headers?: readonly JsonObject[];
  cluster?: string;
  /** The weight of each cluster. */
  weighted?: Readonly<Record<string, number>>;
  maxStreamDuration?: string;
}

export function route(name: string, spec: RouteSpec): JsonObject {
  const { prefix, path, headers, cluster, weighted, maxStreamDuration } = spec;
  const action: JsonObject =
    weighted === undefined
      ? { cluster }
      : {
          weightedClusters: {
            clusters: Object.entries(weighted).map(([each, weight]) => ({ name: each, weight })),
          },
        };
  if (maxStreamDuration !== undefined) action.maxStreamDuration = { maxStreamDuration };
  return {
    name,
    match: { ...(path === undefined ? { prefix } : { path }), ...(headers === undefined ? {} : { headers }) },
    route: action,
  };
}

/** There is one virtual host for every authority, because the clients dial names of listeners. */
export function routeConfiguration(name: string, routes: readonly JsonObject[]): JsonObject {
  return { name, virtualHosts: [{ name, domains: ['*'], routes }] };
}

function rdsResource(name: string, routes: readonly JsonObject[]): MeshResource {
  return { typeUrl: RDS.typeUrl, name, json: routeConfiguration(name, routes) };
}

export function buildRoutes(state: ShopState): MeshResource[] {
  const { canaryPercent, reverted } = state;
  return [
    rdsResource('web-routes', [
      route('catalog-beta', {
        prefix: '/shop.v1.Catalog/',
        headers: [{ name: 'x-beta', stringMatch: { exact: 'true' } }],
        cluster: 'catalog-canary',
      }),
      route('catalog', {
        prefix: '/shop.v1.Catalog/',
        weighted: { 'catalog-stable': 100 - canaryPercent, 'catalog-canary': canaryPercent },
        maxStreamDuration: `${30 + (reverted.get('zero-weights') ?? 0)}s`,
      }),
      route('cart', { prefix: '/shop.v1.Cart/', cluster: 'cart' }),
      route('search', { prefix: '/shop.v1.Search/', cluster: 'search' }),
      route('everything-else', { prefix: '', cluster: 'recommendations' }),
    ]),
    rdsResource('checkout-routes', [
      route('place', { path: '/shop.v1.Checkout/Place', cluster: 'checkout' }),
      route('payment', { prefix: '/shop.v1.Payment/', weighted: { 'payment-v1': 75, 'payment-v2': 25 } }),
      route('fraud', { prefix: '/shop.v1.Fraud/', cluster: 'fraud-detection' }),
      route('everything-else', { prefix: '', cluster: 'inventory' }),
    ]),
    rdsResource('inventory-routes', [
      route('orders', { prefix: '/shop.v1.Orders/', cluster: 'orders' }),
      route('search', { prefix: '/shop.v1.Search/', cluster: 'search' }),
      route('everything-else', { prefix: '', cluster: 'inventory' }),
    ]),
  ];
}
