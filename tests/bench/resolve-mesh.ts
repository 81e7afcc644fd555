import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';

const managerType =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

export const routerType = 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router';

export interface MeshBody {
  readonly typeUrl: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

const bodyOf = (typeUrl: string, name: string, json: object): MeshBody => ({
  typeUrl,
  name,
  bytes: encodeBody(typeUrl, json),
});

export function endpointsOf(name: string, port: number): MeshBody {
  const lbEndpoints = [1, 2, 3].map((host) => ({
    endpoint: { address: { socketAddress: { address: `10.0.0.${host}`, portValue: port } } },
  }));
  const locality = { region: 'eu', zone: 'eu-1' };
  return bodyOf(EDS.typeUrl, name, {
    clusterName: name,
    endpoints: [{ locality, loadBalancingWeight: 1, lbEndpoints }],
  });
}

/** One listener, one route to each cluster, clusters with three endpoints each. */
export function meshOf(size: number): MeshBody[] {
  const names = Array.from({ length: size }, (_, index) => `cluster-${index}`);
  const rds = { routeConfigName: 'routes', configSource: { ads: {} } };
  const routes = names.map((cluster, index) => ({
    match: { prefix: `/service-${index}/` },
    route: { cluster },
  }));
  return [
    bodyOf(LDS.typeUrl, 'shop', {
      name: 'shop',
      apiListener: {
        apiListener: {
          '@type': managerType,
          rds,
          httpFilters: [{ name: 'router', typedConfig: { '@type': routerType } }],
        },
      },
    }),
    bodyOf(RDS.typeUrl, 'routes', {
      name: 'routes',
      virtualHosts: [{ name: 'all', domains: ['*'], routes }],
    }),
    ...names.map((name) =>
      bodyOf(CDS.typeUrl, name, { name, type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } }),
    ),
    ...names.map((name) => endpointsOf(name, 80)),
  ];
}
