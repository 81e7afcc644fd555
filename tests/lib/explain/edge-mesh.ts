import { LDS, RDS } from '@/lib/xds/resource-type';
import { edsCluster, endpoints, type MeshResource } from '@/tests/support/builders/topology-mesh';
import { requestOf } from '../requests/matched-requests';
import { explainIn } from './explained-mesh';

export const extension = 'type.googleapis.com/envoy.extensions.filters.';

interface Edge {
  readonly manager?: object;
  readonly filters?: readonly object[];
  readonly chains?: readonly { readonly name: string; readonly match?: object; readonly clusters?: string }[];
}

/** A socket listener at port 80 whose chains request the route configuration "routes". */
export function edge({ manager = {}, filters = [], chains = [{ name: 'web' }] }: Edge = {}): MeshResource {
  const router = { name: 'router', typedConfig: { '@type': `${extension}http.router.v3.Router` } };
  const typedConfig = {
    '@type': `${extension}network.http_connection_manager.v3.HttpConnectionManager`,
    rds: { routeConfigName: 'routes' },
    httpFilters: [...filters, router],
    ...manager,
  };
  const body = {
    name: 'edge',
    address: { socketAddress: { address: '10.0.0.1', portValue: 80 } },
    filterChains: chains.map(({ name, match, clusters }) => ({
      name,
      ...(match && { filterChainMatch: match }),
      filters: [
        clusters === undefined
          ? { name: 'hcm', typedConfig }
          : {
              name: 'tcp',
              typedConfig: { '@type': `${extension}network.tcp_proxy.v3.TcpProxy`, cluster: clusters },
            },
      ],
    })),
  };
  return { typeUrl: LDS.typeUrl, name: 'edge', body };
}

export function routes(...of: readonly object[]): MeshResource {
  const virtualHosts = [{ name: 'shop', domains: ['shop.example'], routes: of }];
  return { typeUrl: RDS.typeUrl, name: 'routes', body: { name: 'routes', virtualHosts } };
}

export const to = (cluster: string, match: object, name = '') => ({ name, match, route: { cluster } });
export const cart = [edsCluster('cart'), endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.2:80'] }])];
export const start = { listener: 'edge' };

/** Explains a request such as "GET shop.example/cart" in an Envoy with these resources. */
export function explainAtEdge(
  resources: readonly MeshResource[],
  line: string,
  ...headers: readonly string[]
) {
  return explainIn(resources, requestOf(line, ...headers), { start });
}
