import { describeFailingLoad, type FailingLoad } from '../facts/failing-endpoints';
import { formatCounted } from '../format/count';
import { formatLocality } from '../format/locality';
import type { ClusterBalancing } from '../model/cluster-balancing';
import type { Endpoint, LoadAssignment, LocalityEndpoints } from '../model/endpoints';
import type { ResourceKey } from '../observation/resource-state';
import { type Client, clientOf, type Profile, since } from '../xds/profile';
import type { EndpointUse, Ignored } from './xds-config';

/** Clients that keep the last endpoints of a leaf cluster whose EDS resource has no usable one left. */
const holding: readonly Profile[] = since('java-1.76');

export function holdsEndpoints(profile: Profile): boolean {
  return holding.includes(profile);
}

export const noEndpoints: EndpointUse = { priorities: 0, localities: 0, endpoints: 0, usable: 0 };

/**
 * gRPC applies rules E2 (a locality without weight is skipped) and E12 (health). Envoy has panic thresholds and not
 * E2.
 */
export function describeEndpointUse(
  { priorities, failingLoad }: LoadAssignment,
  resource: ResourceKey,
  profile: Profile,
  balancing: ClusterBalancing,
): { readonly use: EndpointUse; readonly ignored: readonly Ignored[] } {
  const use = { priorities: priorities.length, localities: 0, endpoints: 0, usable: 0 };
  let failing = 0;
  const ignored: Ignored[] = [];
  const client = clientOf(profile);
  for (const { priority, localities } of priorities) {
    const isWeighted = weighsLocalities(localities, balancing);
    for (const group of localities) {
      use.localities += 1;
      use.endpoints += group.endpoints.length;
      const path = `P${priority} ${formatLocality(group.locality)}`;
      const skipped = whySkipped(group, client, isWeighted);
      if (skipped !== '') {
        const rule = client === 'envoy' ? '' : 'E2';
        ignored.push({ part: 'locality', resource, path, reason: skipped, rule });
        continue;
      }
      for (const endpoint of group.endpoints) {
        const reason = whyUnused(endpoint, client);
        if (reason === '') {
          use.usable += 1;
          if (endpoint.failure !== undefined || group.isFailing) failing += 1;
        } else {
          const at = `${path} ${endpoint.address}`;
          ignored.push({ part: 'endpoint', resource, path: at, reason, rule: 'E12' });
        }
      }
    }
  }
  return {
    use: { ...use, ...(failing > 0 && { failing }), ...loadOf(failingLoad) },
    ignored,
  };
}

/** The part of its requests that fails, by load reports. */
export function loadOf(load: FailingLoad | undefined): Pick<EndpointUse, 'failingLoad'> {
  return load === undefined ? {} : { failingLoad: load.isWhole ? 'all' : 'some' };
}

/** States what fails by load reports. They count the requests to a locality: its endpoints are not known to fail one by one. */
export function describeFailingLoads({ priorities, failingLoad: load }: LoadAssignment): string[] {
  if (load === undefined) return [];
  if (load.isWhole) return [describeFailingLoad(load)];
  const localities = priorities.flatMap((priority) => priority.localities);
  return localities.flatMap(({ locality, isFailing, endpoints }) => {
    const place = `locality ${formatLocality(locality)} (${formatCounted(endpoints.length, 'endpoint')})`;
    return isFailing ? [describeFailingLoad(load, place)] : [];
  });
}

/** Returns true if Envoy chooses among the localities of a priority by weight: it needs one that has any. */
export function weighsLocalities(
  localities: readonly LocalityEndpoints[],
  { isLocalityWeighted }: ClusterBalancing,
): boolean {
  return isLocalityWeighted && localities.some(({ weight = 0 }) => weight > 0);
}

/** Empty if the locality is used. `isWeighted`: by weighsLocalities(). */
export function whySkipped({ weight }: LocalityEndpoints, client: Client, isWeighted = false): string {
  if (weight) return '';
  if (client === 'envoy')
    return isWeighted ? 'locality_weighted_lb_config: a locality without weight gets no requests' : '';
  return `gRPC skips a locality ${weight === 0 ? 'of weight 0' : 'without weight'}`;
}

/** Empty if the endpoint is used. */
export function whyUnused({ health, seenAs }: Endpoint, client: Client): string {
  if (health === 'HEALTHY' || health === 'UNKNOWN') return '';
  if (client === 'envoy') {
    return health === 'DEGRADED'
      ? ''
      : `${seenAs || health}: Envoy sends it requests only below the panic threshold`;
  }
  return health === 'DRAINING'
    ? 'DRAINING: gRPC keeps it only for session affinity'
    : `${health}: gRPC ignores it`;
}
