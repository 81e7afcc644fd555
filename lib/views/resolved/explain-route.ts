import type { Route } from '../../model/route';
import type { VirtualHost } from '../../model/route-config';
import { deniedAt } from '../../resolve/nothing-served';
import type { FilterUse } from '../../resolve/resolve-listener';
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

export function clustersOf({ action }: Route): readonly { readonly name: string; readonly weight: number }[] {
  if (action.kind === 'cluster') return [{ name: action.cluster, weight: 1 }];
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
