import { nameRoute } from '../../explain/match-routes';
import { type HostReach, reachOfHost } from '../../explain/reach/reach-of-host';
import { FieldReader } from '../../model/field-reader';
import type { Route } from '../../model/route';
import type { Resolver } from '../../resolve/resolver';
import type { Profile } from '../../xds/profile';
import type { Witnesses } from './schema';

/** At most this many are listed. */
const mostListed = 20_000;

/** Lists a witness of each route, with the route that takes it. */
export function buildWitnesses({ listener }: Resolver, profile: Profile): Pick<Witnesses, 'total' | 'items'> {
  const { authority } = listener;
  const items: Witnesses['items'] = [];
  let total = 0;
  for (const chain of listener.chains)
    for (const host of chain.hosts) {
      const { routes, name: virtualHost } = host.host;
      for (const [index, reach] of reachOfHost({ host, chain, authority, profile }).entries()) {
        const found = witnessOf(reach, index);
        if (found === undefined) continue;
        total += 1;
        if (items.length >= mostListed) continue;
        const { by, kind, request } = found;
        const cluster = clusterOf(routes[by]);
        items.push({
          ...{
            virtualHost,
            route: nameOf(routes[index], index),
            reach: kind,
            takenBy: nameOf(routes[by], by),
          },
          ...(cluster !== undefined && { cluster }),
          request: { ...request, headers: request.headers.map(([name, value]) => [name, value]) },
        });
      }
    }
  return { total, items };
}

function witnessOf(reach: HostReach[number], index: number) {
  if (reach?.witness === undefined) return undefined;
  const by = reach.kind === 'reached' ? index : reach.by;
  return by === undefined ? undefined : { by, kind: reach.kind, request: reach.witness };
}

function nameOf(route: Route | undefined, index: number): string {
  return nameRoute(route && FieldReader.open({ name: route.name }, []), index);
}

/** The only cluster to which the route forwards. */
function clusterOf(route: Route | undefined): string | undefined {
  return route?.action.kind === 'cluster' ? route.action.cluster : undefined;
}
