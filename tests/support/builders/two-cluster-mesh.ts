import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import type { Resource } from '@/server/lab/management-server/snapshot-store';

export const listenerName = 'story.example';

export interface TwoClusters {
  /** The content of both clusters differs by this number. */
  readonly maxRequests: number;
  /** The policy of "odd". gRPC does not support MAGLEV, and rejects the cluster. */
  readonly oddPolicy: 'ROUND_ROBIN' | 'MAGLEV';
  /** The number of bytes that enlarge "good". */
  readonly paddingBytes: number;
}

const usual: TwoClusters = { maxRequests: 100, oddPolicy: 'ROUND_ROBIN', paddingBytes: 0 };
const filters = 'type.googleapis.com/envoy.extensions.filters';

/** A listener with inline routes to the clusters "good" and "odd", which have an endpoint each. */
export function twoClusterMesh(change: Partial<TwoClusters> = {}): Resource[] {
  const { maxRequests, oddPolicy, paddingBytes } = { ...usual, ...change };
  const cluster = (name: string, fields: object) => ({
    name,
    type: 'EDS',
    edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' } },
    lbPolicy: 'ROUND_ROBIN',
    circuitBreakers: { thresholds: [{ priority: 'DEFAULT', maxRequests }] },
    ...fields,
  });
  const encoded = (typeUrl: string, name: string, json: object) => ({
    typeUrl,
    name,
    bytes: encodeBody(typeUrl, json),
  });
  return [
    encoded(LDS.typeUrl, listenerName, listener()),
    encoded(CDS.typeUrl, 'good', cluster('good', { altStatName: 'x'.repeat(paddingBytes) })),
    encoded(CDS.typeUrl, 'odd', cluster('odd', { lbPolicy: oddPolicy })),
    encoded(EDS.typeUrl, 'good', assignment('good', 1)),
    encoded(EDS.typeUrl, 'odd', assignment('odd', 2)),
  ];
}

function listener(): object {
  const route = (prefix: string, cluster: string) => ({ match: { prefix }, route: { cluster } });
  const routes = [route('/story.Good/', 'good'), route('/story.Odd/', 'odd')];
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    statPrefix: listenerName,
    routeConfig: { name: 'routes', virtualHosts: [{ name: 'all', domains: ['*'], routes }] },
    httpFilters: [
      {
        name: 'envoy.filters.http.router',
        typedConfig: { '@type': `${filters}.http.router.v3.Router` },
      },
    ],
  };
  return { name: listenerName, apiListener: { apiListener: manager } };
}

/** Nothing listens on this address, so that calls fail. */
function assignment(clusterName: string, portValue: number): object {
  const endpoint = { address: { socketAddress: { address: '127.0.0.1', portValue } } };
  return {
    clusterName,
    endpoints: [
      {
        locality: { region: 'here', zone: 'here-a' },
        loadBalancingWeight: 1,
        lbEndpoints: [{ healthStatus: 'HEALTHY', endpoint }],
      },
    ],
  };
}
