import { formatLocality } from '../format/locality';
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
  { priorities }: LoadAssignment,
  resource: ResourceKey,
  profile: Profile,
): { readonly use: EndpointUse; readonly ignored: readonly Ignored[] } {
  const use = { priorities: priorities.length, localities: 0, endpoints: 0, usable: 0 };
  let failing = 0;
  const ignored: Ignored[] = [];
  const client = clientOf(profile);
  for (const { priority, localities } of priorities) {
    for (const group of localities) {
      use.localities += 1;
      use.endpoints += group.endpoints.length;
      const path = `P${priority} ${formatLocality(group.locality)}`;
      const skipped = whySkipped(group, client);
      if (skipped !== '') {
        ignored.push({ part: 'locality', resource, path, reason: skipped, rule: 'E2' });
        continue;
      }
      for (const endpoint of group.endpoints) {
        const reason = whyUnused(endpoint, client);
        if (reason === '') {
          use.usable += 1;
          if (endpoint.failsToConnect) failing += 1;
        } else {
          const at = `${path} ${endpoint.address}`;
          ignored.push({ part: 'endpoint', resource, path: at, reason, rule: 'E12' });
        }
      }
    }
  }
  return { use: failing === 0 ? use : { ...use, failing }, ignored };
}

/** Empty if the locality is used. */
export function whySkipped({ weight }: LocalityEndpoints, client: Client): string {
  if (client === 'envoy' || weight) return '';
  return `gRPC skips a locality ${weight === 0 ? 'of weight 0' : 'without weight'}`;
}

/** Empty if the endpoint is used. */
export function whyUnused({ health, seenAs }: Endpoint, client: Client): string {
  if (health === 'HEALTHY' || health === 'UNKNOWN') return '';
  if (client === 'envoy') {
    return health === 'DEGRADED' ? '' : `${seenAs || health}: Envoy uses it only when too few are healthy`;
  }
  return health === 'DRAINING'
    ? 'DRAINING: gRPC keeps it only for session affinity'
    : `${health}: gRPC ignores it`;
}
