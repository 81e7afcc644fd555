import { EDS } from '@/lib/xds/resource-type';
import { isJsonObject } from '../json/json-object';
import { readJsonMessage } from '../json/json-to-message';
import { messageType } from '../root';
import type { ReadJson } from './json-elements';

/** HostHealthStatus. Any of the first four overrides the health status of EDS. */
interface HealthMessage {
  failedActiveHealthCheck?: boolean;
  failedOutlierCheck?: boolean;
  failedActiveDegradedCheck?: boolean;
  pendingDynamicRemoval?: boolean;
  edsHealthStatus?: number;
}

interface HostMessage {
  address?: object;
  hostname?: string;
  healthStatus?: HealthMessage | null;
  weight?: number;
  priority?: number;
  locality?: { region?: string; zone?: string; subZone?: string } | null;
}

interface StatusMessage {
  name?: string;
  edsServiceName?: string;
  hostStatuses?: HostMessage[];
}

/** envoy.config.core.v3.HealthStatus. */
const [unhealthy, draining, degraded] = [2, 3, 5];

/** Converts the hosts in /clusters?format=json and their health to the equivalent ClusterLoadAssignment. */
export const readClusterStatus: ReadJson = (json, place) => {
  if (!isJsonObject(json))
    return { messages: [], problems: [{ place, reason: 'expected an object', isUnknownField: false }] };
  const { message, problems } = readJsonMessage(messageType('envoy.admin.v3.ClusterStatus'), json, place);
  const status: StatusMessage = message ?? {};
  const type = messageType('envoy.config.endpoint.v3.ClusterLoadAssignment');
  const clusterName = status.edsServiceName || status.name || '';
  const groups = new Map<string, { locality: object; priority: number; lbEndpoints: object[] }>();
  for (const {
    address,
    hostname = '',
    healthStatus,
    weight = 0,
    priority = 0,
    locality,
  } of status.hostStatuses ?? []) {
    const key = JSON.stringify([priority, locality?.region, locality?.zone, locality?.subZone]);
    const group = groups.get(key) ?? { locality: locality ?? {}, priority, lbEndpoints: [] };
    groups.set(key, group);
    group.lbEndpoints.push({
      endpoint: { address, hostname },
      healthStatus: healthOf(healthStatus ?? {}),
      ...(weight > 0 && { loadBalancingWeight: { value: weight } }),
    });
  }
  const endpoints = [...groups.values()].map((group) => ({ ...group, loadBalancingWeight: { value: 1 } }));
  const value = type.encode({ clusterName, endpoints }).finish();
  return { messages: [{ name: clusterName, xdsConfig: { type_url: EDS.typeUrl, value } }], problems };
};

function healthOf(health: HealthMessage): number {
  if (health.failedActiveHealthCheck || health.failedOutlierCheck) return unhealthy;
  if (health.pendingDynamicRemoval) return draining;
  if (health.failedActiveDegradedCheck) return degraded;
  return health.edsHealthStatus ?? 0;
}
