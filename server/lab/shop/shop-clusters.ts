import { CDS } from '@/lib/xds/resource-type';
import type { JsonObject, MeshResource } from './mesh-resource';
import type { ShopState } from './shop-state';

function cluster(name: string, fields: JsonObject): MeshResource {
  return { typeUrl: CDS.typeUrl, name, json: { name, ...fields } };
}

/** Builds an EDS cluster over ADS that reports its load to the management server (LRS, `self`). */
function edsCluster(name: string, fields: JsonObject = {}, serviceName?: string): MeshResource {
  const edsConfig = { ads: {}, resourceApiVersion: 'V3' };
  return cluster(name, {
    type: 'EDS',
    edsClusterConfig: serviceName === undefined ? { edsConfig } : { edsConfig, serviceName },
    connectTimeout: '2s',
    lbPolicy: 'ROUND_ROBIN',
    lrsServer: { self: {} },
    ...fields,
  });
}

function maxRequests(count: number): JsonObject {
  return { circuitBreakers: { thresholds: [{ priority: 'DEFAULT', maxRequests: count }] } };
}

export function buildClusters({ reverted }: ShopState): MeshResource[] {
  return [
    edsCluster('catalog-stable'),
    edsCluster('catalog-canary'),
    edsCluster('cart'),
    // gRFC A37: the leaves are tried in order, Europe before America. Envoy requires CLUSTER_PROVIDED here, gRPC
    // rejects it.
    cluster('search', {
      connectTimeout: '2s',
      lbPolicy: 'ROUND_ROBIN',
      clusterType: {
        name: 'envoy.clusters.aggregate',
        typedConfig: {
          '@type': 'type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig',
          clusters: ['search-eu', 'search-us'],
        },
      },
    }),
    edsCluster('search-eu', {}, 'search.eu-west1'),
    edsCluster('search-us', {}, 'search.us-east1'),
    edsCluster('recommendations', maxRequests(200 + (reverted.get('unsupported-policy') ?? 0))),
    edsCluster('checkout', maxRequests(500)),
    edsCluster('payment-v1'),
    edsCluster('payment-v2'),
    edsCluster(
      'fraud-detection',
      maxRequests(100 + (reverted.get('fraud-detection-policy') ?? 0)),
      'checkout',
    ),
    edsCluster('inventory'),
    edsCluster('orders'),
  ];
}
