import type { Locality } from '../../observation/observation';
import { CDS } from '../../xds/resource-type';
import { findDelivered, findOwnEndpoints } from '../graph/add-cluster';
import { sortLocalities } from '../graph/add-endpoints';
import type { ReportedResources } from '../graph/reported-resources';

/** An endpoint of a cluster in a client's config. */
export interface ConfigEndpoint {
  readonly cluster: string;
  readonly priority: number;
  readonly locality?: Locality | undefined;
  readonly address: string;
  /** Empty: the config states none. */
  readonly hostname: string;
  /** All addresses, the first one included. */
  readonly addresses: readonly string[];
  /** envoy.config.core.v3.HealthStatus. */
  readonly health: string;
  readonly excludedBecause: string;
  readonly weight: number | undefined;
  /** The address is a DNS name. */
  readonly isDns: boolean;
}

/** The endpoints of all clusters that the client holds, by cluster, priority, locality and address. */
export function listConfigEndpoints(resources: ReportedResources): ConfigEndpoint[] {
  return resources.ofType(CDS.typeUrl).flatMap((cluster) => {
    if (cluster.model?.kind !== 'cluster') return [];
    const { discovery } = cluster.model;
    const own = findOwnEndpoints(resources, cluster, discovery);
    const assignment = own?.assignment ?? findDelivered(resources, discovery);
    return (assignment?.priorities ?? []).flatMap(({ priority, localities }) =>
      sortLocalities(localities).flatMap(({ group, endpoints }) =>
        endpoints.map((endpoint) => ({
          ...{ cluster: cluster.row.name, priority, locality: group.locality },
          ...{ address: endpoint.address, hostname: endpoint.hostname },
          ...{ addresses: [endpoint.address, ...endpoint.additionalAddresses] },
          ...{ health: endpoint.edsHealth ?? endpoint.health, weight: endpoint.weight },
          excludedBecause: endpoint.seenAs ?? '',
          isDns: own?.isDns ?? false,
        })),
      ),
    );
  });
}
