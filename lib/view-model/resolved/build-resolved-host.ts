import type { ResolvedHost, ResolvedRoute } from '../../api/resolved';
import type { Route } from '../../model/route';
import type { VirtualHost } from '../../model/route-config';
import type { FilterUse, HostConfig, ListenerConfig } from '../../resolve/resolve-listener';
import { formatRouteAction } from '../format-route-action';

const maxRoutes = 200;

export function buildResolvedHost(
  { resource, path, routeConfig, host, domain, use }: HostConfig,
  config: Pick<ListenerConfig, 'kind'>,
  routesFrom: number,
  filters: readonly FilterUse[],
): ResolvedHost {
  const ignoredAt = new Map(use.ignored.map((ignored) => [ignored.path, ignored]));
  const routes = host.routes.slice(routesFrom, routesFrom + maxRoutes).map((route, nth): ResolvedRoute => {
    const index = routesFrom + nth;
    const at = `${path}.routes[${index}]`;
    const ignored = ignoredAt.get(at);
    const isIgnored = ignored?.part === 'route';
    return {
      index,
      name: route.name,
      match: route.match,
      action: formatRouteAction(route.action),
      use: isIgnored ? 'ignored' : 'used',
      reason:
        ignored?.reason ??
        [explainAction(route, config.kind), ...explainOverrides(route, host, filters)]
          .filter((text) => text !== '')
          .join('; '),
      clusters: clustersOf(route).map(({ name, weight }) => ({
        name,
        weight,
        use: isIgnored || weight === 0 ? 'ignored' : 'used',
      })),
    };
  });
  return {
    typeUrl: resource.typeUrl,
    name: resource.name,
    path,
    routeConfig,
    host: host.name,
    domains: [...host.domains],
    matchedDomain: domain,
    routes,
    routesTotal: host.routes.length,
  };
}

function clustersOf({ action }: Route): readonly { readonly name: string; readonly weight: number }[] {
  if (action.kind === 'cluster') return [{ name: action.cluster, weight: 1 }];
  return action.kind === 'weighted' ? action.clusters : [];
}

/** What filters that can deny requests do for the route in place of their own config. */
function explainOverrides(route: Route, host: VirtualHost, filters: readonly FilterUse[]): string[] {
  const overrides = [...(host.overrides ?? []), ...(route.overrides ?? [])];
  return filters.flatMap(({ name, denied, ignoredBecause }) => {
    const override = overrides.findLast(({ filter }) => filter === name);
    if (override === undefined || ignoredBecause !== '' || override.denied === denied) return [];
    return [`for this route, filter "${name}" ${override.denied || 'denies no requests'}`];
  });
}

function explainAction({ action }: Route, kind: ListenerConfig['kind']): string {
  if (action.kind !== 'non-forwarding' || kind !== 'api') return '';
  return 'for servers only: at a client RPCs fail with UNAVAILABLE';
}
