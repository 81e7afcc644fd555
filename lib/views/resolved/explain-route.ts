import type { Route } from '../../model/route';
import type { VirtualHost } from '../../model/route-config';
import type { LbMetadata } from '../../model/subset';
import { criteriaKey } from '../../resolve/find-subset-requests';
import type { FilterUse } from '../../resolve/http-filters';
import { deniedAt } from '../../resolve/nothing-served';
import { type ClusterEntry, errorOfCluster } from '../../resolve/xds-config';
import { clientOf, type Profile } from '../../xds/profile';

/** What an Envoy does before a route, and after its cluster failed. gRPC has no TLS requirement, and retries by its own rules. */
export function explainEnvoy(route: Route, host: VirtualHost, profile: Profile): string[] {
  if (clientOf(profile) !== 'envoy') return [];
  const retryOn = route.retryOn ?? host.retryOn;
  return [
    ...(host.requiresTls === undefined
      ? []
      : [
          `requests ${host.requiresTls === 'external' ? 'of external callers ' : ''}without TLS are redirected to HTTPS (require_tls)`,
        ]),
    ...(retryOn === undefined || clustersOf(route).length === 0
      ? []
      : [`failed requests are sent again (retry_on ${retryOn})`]),
  ];
}

interface TargetCluster {
  readonly name: string;
  readonly weight: number;
  readonly criteria?: LbMetadata | undefined;
}

export function clustersOf({ action, criteria }: Route): readonly TargetCluster[] {
  if (action.kind === 'cluster') return [{ name: action.cluster, weight: 1, criteria }];
  return action.kind === 'weighted' ? action.clusters : [];
}

/** Explains what filters that can deny requests do for the route in place of their own config. */
export function explainOverrides(
  route: Route,
  host: VirtualHost,
  filters: readonly FilterUse[],
  profile: Profile,
): string[] {
  return filters.flatMap((filter) => {
    const { denied } = deniedAt(filter, host, route, profile);
    if (filter.ignoredBecause !== '' || denied === filter.denied) return [];
    return [`for this route, filter "${filter.name}" ${denied || 'denies no requests'}`];
  });
}

/**
 * Why the requests of a route to a cluster fail; empty if they find an endpoint, or if it is not known. `criteria`: the metadata by
 * which an Envoy chooses a subset of the hosts.
 */
export function whyRequestsFail(entry: ClusterEntry | undefined, criteria: LbMetadata | undefined): string {
  if (entry?.config?.ok === true) {
    const own = entry.config.value.subsets?.find(({ requests }) => requests.id === criteriaKey(criteria));
    if (own?.status === 'error') return own.text;
  }
  return entry === undefined ? '' : errorOfCluster(entry);
}
