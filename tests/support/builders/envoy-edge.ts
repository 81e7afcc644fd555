import { LDS } from '@/lib/xds/resource-type';
import { edsCluster, endpoints, type MeshResource } from '@/tests/support/builders/topology-mesh';

export const extension = 'type.googleapis.com/envoy.extensions.filters.';
export const start = { listener: 'edge' };

/** A socket listener with the route configuration "routes" and these filters. */
export function edge(filters: readonly object[] = [], networkFilters: readonly object[] = []): MeshResource {
  const manager = {
    '@type': `${extension}network.http_connection_manager.v3.HttpConnectionManager`,
    rds: { routeConfigName: 'routes' },
    httpFilters: filters,
  };
  return {
    typeUrl: LDS.typeUrl,
    name: 'edge',
    body: {
      name: 'edge',
      address: { socketAddress: { address: '0.0.0.0', portValue: 80 } },
      filterChains: [{ filters: [...networkFilters, { name: 'hcm', typedConfig: manager }] }],
    },
  };
}

export const cart = [edsCluster('cart'), endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }])];
