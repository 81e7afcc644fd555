import { CDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { JsonObject, MeshResource } from './mesh-resource';
import { buildClusters } from './shop-clusters';
import { httpConnectionManager, rds } from './shop-listeners';
import { route, routeConfiguration } from './shop-routes';
import type { ShopState } from './shop-state';

/** The node id of the Envoy. */
export const edgeNodeId = 'shop-edge';

/** Envoy requests all listeners and clusters: those of gRPC clients would be NACKed, or accepted and not used. */
export function isOfEdge(nodeId: string, typeUrl: string): boolean {
  return nodeId === edgeNodeId && (typeUrl === LDS.typeUrl || typeUrl === CDS.typeUrl);
}

const clusters = [
  'catalog-stable',
  'catalog-canary',
  'cart',
  'search',
  'search-eu',
  'search-us',
  'recommendations',
];

const http2 = {
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
    '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    explicitHttpConfig: { http2ProtocolOptions: {} },
  },
};

/** Builds the resources for Envoy, without the endpoints, which it shares with the other clients. */
export function buildEdge(state: ShopState, listenerPort: number): MeshResource[] {
  const { canaryPercent } = state;
  const listener = {
    name: 'edge',
    address: { socketAddress: { address: '127.0.0.1', portValue: listenerPort } },
    filterChains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typedConfig: httpConnectionManager('edge', rds('edge-routes')),
          },
        ],
      },
    ],
  };
  const routes = routeConfiguration('edge-routes', [
    route('catalog', {
      prefix: '/shop.v1.Catalog/',
      weighted: { 'catalog-stable': 100 - canaryPercent, 'catalog-canary': canaryPercent },
    }),
    route('cart', { prefix: '/shop.v1.Cart/', cluster: 'cart' }),
    route('search', { prefix: '/shop.v1.Search/', cluster: 'search' }),
    route('everything-else', { prefix: '/', cluster: 'recommendations' }),
  ]);
  // The fields that a reverted fault changes stay the same: a changed cluster would warm until its endpoints come again.
  const usual = buildClusters({ ...state, reverted: new Map() });
  return [
    { typeUrl: LDS.typeUrl, name: 'edge', json: listener },
    { typeUrl: RDS.typeUrl, name: 'edge-routes', json: routes },
    ...usual.filter(({ name }) => clusters.includes(name)).map(forEnvoy),
  ];
}

/** The backends speak gRPC, and a cluster type of its own provides the load balancing. */
function forEnvoy({ json: { lrsServer: _, ...json }, ...resource }: MeshResource): MeshResource {
  const difference: JsonObject =
    json.clusterType === undefined
      ? { typedExtensionProtocolOptions: http2 }
      : { lbPolicy: 'CLUSTER_PROVIDED' };
  return { ...resource, json: { ...json, ...difference } };
}
