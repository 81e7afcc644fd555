import type { Resolved } from './schema';

/** Returns true if every known request is sent to a cluster: none is answered or redirected by its route. */
export function hasOnlyClusterRoutes({ chains, dynamic }: Pick<Resolved, 'chains' | 'dynamic'>): boolean {
  return (
    dynamic.length === 0 &&
    chains.every(
      ({ virtualHosts, virtualHostsTotal }) =>
        virtualHosts.length === virtualHostsTotal &&
        virtualHosts.every(
          ({ routes, routesTotal }) =>
            routes.length === routesTotal && routes.every(({ clusters }) => clusters.length > 0),
        ),
    )
  );
}
