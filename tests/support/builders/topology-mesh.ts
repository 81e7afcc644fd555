import { parseResource, type ResourceModel } from '@/lib/model/parse-resource';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { TopologyInput } from '@/lib/views/graph/build-topology';
import { CDS, EDS, formatResourceType, LDS, RDS } from '@/lib/xds/resource-type';

const managerType =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

export interface MeshResource extends Partial<ResourceRow> {
  readonly typeUrl: string;
  readonly name: string;
  /** proto3 JSON. Absent if no body was reported. */
  readonly body?: object;
}

/** Rows and models like those of the server. */
export function topologyInput(resources: readonly MeshResource[]): TopologyInput {
  const models = new Map<string, ResourceModel>();
  const rows = resources.map(({ body, ...given }, index): ResourceRow => {
    const hash = body === undefined ? null : `hash-${index}`;
    if (hash !== null) models.set(hash, parseResource(given.typeUrl, body));
    return {
      service: formatResourceType(given.typeUrl),
      versionInfo: 'v1',
      state: given.clientStatus ?? (body === undefined ? 'REQUESTED' : 'ACKED'),
      clientStatus: body === undefined ? 'REQUESTED' : 'ACKED',
      answer: null,
      effect: null,
      configStatus: 'UNKNOWN',
      lastUpdated: null,
      errorState: null,
      hash,
      sizeBytes: null,
      isStatic: false,
      changedAt: 0,
      sourceId: 'csds:test',
      side: 'client',
      controlPlane: null,
      ...given,
    };
  });
  return { rows, modelOf: (hash) => models.get(hash) };
}

export function apiListener(name: string, routes: { rds: string } | { inline: object }): MeshResource {
  const source = 'rds' in routes ? { rds: { routeConfigName: routes.rds } } : { routeConfig: routes.inline };
  const manager = { '@type': managerType, ...source, httpFilters: [{ name: 'envoy.filters.http.router' }] };
  return { typeUrl: LDS.typeUrl, name, body: { name, apiListener: { apiListener: manager } } };
}

/** `routes`: prefix -> cluster, or clusters with weights. */
export function routeConfig(
  name: string,
  routes: Readonly<Record<string, string | Readonly<Record<string, number>>>>,
): MeshResource {
  const virtualHosts = [
    {
      name: 'default',
      domains: ['*'],
      routes: Object.entries(routes).map(([prefix, target]) => ({
        match: { prefix },
        route:
          typeof target === 'string'
            ? { cluster: target }
            : {
                weightedClusters: {
                  clusters: Object.entries(target).map(([to, weight]) => ({ name: to, weight })),
                },
              },
      })),
    },
  ];
  return { typeUrl: RDS.typeUrl, name, body: { name, virtualHosts } };
}

/** `secret`: of its certificate, by SDS. */
export function edsCluster(name: string, serviceName = '', secret?: string): MeshResource {
  const edsClusterConfig = { edsConfig: { ads: {} }, serviceName };
  const transportSocket = {
    name: 'envoy.transport_sockets.tls',
    typedConfig: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      commonTlsContext: { tlsCertificateSdsSecretConfigs: [{ name: secret, sdsConfig: { ads: {} } }] },
    },
  };
  const body = { name, type: 'EDS', edsClusterConfig, ...(secret !== undefined && { transportSocket }) };
  return { typeUrl: CDS.typeUrl, name, body };
}

export function aggregateCluster(name: string, clusters: readonly string[]): MeshResource {
  const typedConfig = {
    '@type': 'type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig',
    clusters,
  };
  return {
    typeUrl: CDS.typeUrl,
    name,
    body: { name, clusterType: { name: 'envoy.clusters.aggregate', typedConfig } },
  };
}

export interface MeshLocality {
  readonly zone: string;
  readonly priority?: number;
  readonly weight?: number;
  /** "address:port" or "address:port HEALTH". */
  readonly endpoints: readonly string[];
}

export function endpoints(clusterName: string, localities: readonly MeshLocality[]): MeshResource {
  const body = {
    clusterName,
    endpoints: localities.map(({ zone, priority, weight, endpoints: members }) => ({
      locality: { region: 'eu', zone },
      priority: priority ?? 0,
      loadBalancingWeight: weight ?? 1,
      lbEndpoints: members.map((member) => {
        const [target = '', healthStatus = 'HEALTHY'] = member.split(' ');
        const [address, port] = target.split(':');
        return {
          healthStatus,
          endpoint: { address: { socketAddress: { address, portValue: Number(port) } } },
        };
      }),
    })),
  };
  return { typeUrl: EDS.typeUrl, name: clusterName, body };
}

/** The listener of a channel with one route, to a cluster without endpoints yet. */
export const shopOfCart: readonly MeshResource[] = [
  apiListener('shop', { rds: 'r' }),
  routeConfig('r', { '': 'cart' }),
  edsCluster('cart'),
];
