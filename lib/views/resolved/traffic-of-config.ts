import { mayServe } from '../../requests/filters/may-answer';
import type { Resolved, ResolvedCluster } from './schema';

/** Returns true if every known request is sent to a cluster: none is answered or redirected by its route, or served by a filter. */
export function hasOnlyClusterRoutes({ chains, dynamic }: Pick<Resolved, 'chains' | 'dynamic'>): boolean {
  return (
    dynamic.length === 0 &&
    chains.every(
      ({ virtualHosts, virtualHostsTotal, httpFilters }) =>
        !httpFilters.some(mayServe) &&
        virtualHosts.length === virtualHostsTotal &&
        virtualHosts.every(
          ({ routes, routesTotal }) =>
            routes.length === routesTotal && routes.every(({ clusters }) => clusters.length > 0),
        ),
    )
  );
}

/** Whose traffic fails if a listener, or one of its clusters, serves nothing. */
export function trafficOf(
  { chains, noClient }: Pick<Resolved, 'chains' | 'noClient'>,
  cluster?: Pick<ResolvedCluster, 'usedBy'>,
): { readonly isOfTcp: boolean; readonly isHypothetical: boolean } {
  const isOfTcp =
    cluster === undefined
      ? chains.length > 0 &&
        chains.every(({ tcpClusters, routeConfigs }) => tcpClusters.length > 0 && routeConfigs.length === 0)
      : cluster.usedBy.length > 0 && cluster.usedBy.every(({ how }) => how === 'tcp');
  return { isOfTcp, isHypothetical: noClient !== undefined };
}
