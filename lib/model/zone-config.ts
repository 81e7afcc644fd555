import type { LoadAssignment } from './endpoints';
import type { FieldReader } from './field-reader';

/** zone_aware_lb_config. Envoy uses its defaults where it is not set. */
export interface ZoneConfig {
  readonly isSet: boolean;
  /** fail_traffic_on_panic. */
  readonly failsOnPanic: boolean;
  /** routing_enabled: the percentage of requests whose endpoint the zone decides. */
  readonly routingEnabled: number;
  /** min_cluster_size: with fewer healthy hosts, zones do not count. */
  readonly minClusterSize: number;
  /** The settings that are not modelled. */
  readonly notModelled: readonly string[];
}

export const usualZoneConfig: ZoneConfig = {
  isSet: false,
  failsOnPanic: false,
  routingEnabled: 100,
  minClusterSize: 6,
  notModelled: [],
};

const notModelled = [
  ['forceLocalZone', 'force_local_zone'],
  ['forceLocalityDirectRouting', 'force_locality_direct_routing'],
  ['localityBasis', 'locality_basis'],
] as const;

export function readZoneConfig(config: FieldReader | undefined): ZoneConfig {
  if (config === undefined) return usualZoneConfig;
  const enabled = config.object('routingEnabled');
  return {
    isSet: true,
    failsOnPanic: config.boolean('failTrafficOnPanic'),
    // A Percent without a value is 0.
    routingEnabled: enabled === undefined ? usualZoneConfig.routingEnabled : (enabled.number('value') ?? 0),
    minClusterSize: config.number('minClusterSize') ?? usualZoneConfig.minClusterSize,
    notModelled: notModelled.flatMap(([field, name]) => (config.has(field) ? [name] : [])),
  };
}

/**
 * True if the first priority has fewer endpoints than min_cluster_size, so that there are never enough healthy ones: Envoy's docs,
 * "Zone aware routing", "The upstream cluster has enough hosts".
 */
export function isTooSmallForZones({ minClusterSize }: ZoneConfig, assignment: LoadAssignment): boolean {
  const first = assignment.priorities.find(({ priority }) => priority === 0);
  const localities = first?.localities ?? [];
  const areCounted = localities.every(({ ledsCollection }) => ledsCollection === '');
  return areCounted && localities.flatMap(({ endpoints }) => endpoints).length < minClusterSize;
}

/** What decides the zone of a request: the hosts of the cluster of the clients, and the zone of this one. */
export interface ZoneRouting {
  readonly config: ZoneConfig;
  readonly localCluster: string;
  /** The index of the client's own locality among those of the priority; -1 if none is. */
  readonly own: number;
  /** For each locality of the priority, the healthy hosts of the local cluster in it. */
  readonly localHosts: readonly number[];
  /** The healthy hosts of the local cluster in all localities. */
  readonly allLocalHosts: number;
  /** False if the local cluster has no host in the client's own locality. */
  readonly isOwnInLocal: boolean;
  readonly isLocalInPanic: boolean;
}
