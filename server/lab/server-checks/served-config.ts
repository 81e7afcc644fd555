import { CDS, EDS, LDS, RDS, type ResourceType } from '@/lib/xds/resource-type';
import { encodeBody } from '../../codec/encode-body';
import type { Resource } from '../management-server/snapshot-store';
import type { ReplaceConfig, ServedNames } from './check-run';

function encode({ typeUrl }: ResourceType, name: string, json: unknown): Resource {
  return { typeUrl, name, bytes: encodeBody(typeUrl, json) };
}

/** A cluster whose content depends on the number of seconds. */
export function clusterOf(name: string, seconds = 1, altStatName = ''): Resource {
  return encode(CDS, name, {
    name,
    type: 'EDS',
    edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' } },
    connectTimeout: `${seconds}s`,
    altStatName,
  });
}

export function endpointsOf(name: string, portValue = 1_000): Resource {
  const endpoint = { address: { socketAddress: { address: '127.0.0.1', portValue } } };
  const locality = { region: 'checks' };
  return encode(EDS, name, {
    clusterName: name,
    endpoints: [{ locality, lbEndpoints: [{ endpoint }], loadBalancingWeight: 1 }],
  });
}

export function routesTo(cluster: string): Resource {
  const routes = [{ match: { prefix: '' }, route: { cluster } }];
  return encode(RDS, 'r1', { name: 'r1', virtualHosts: [{ name: 'all', domains: ['*'], routes }] });
}

const managerType =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

export function listenerOf(name: string): Resource {
  const rds = { routeConfigName: 'r1', configSource: { ads: {}, resourceApiVersion: 'V3' } };
  return encode(LDS, name, { name, apiListener: { apiListener: { '@type': managerType, rds } } });
}

/** What a server that can be changed serves at the beginning of each check. */
export async function resetConfig(replace: ReplaceConfig): Promise<Omit<ServedNames, 'wholeOnly'>> {
  await replace([{ type: CDS, resources: [clusterOf('c1'), clusterOf('c2')] }]);
  await replace([{ type: EDS, resources: [endpointsOf('c1'), endpointsOf('c2')] }]);
  await replace([{ type: LDS, resources: [listenerOf('l1')] }]);
  await replace([{ type: RDS, resources: [routesTo('c1')] }]);
  return { clusters: ['c1', 'c2'], endpoints: ['c1', 'c2'] };
}
