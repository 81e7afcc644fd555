import type { FilterOverride } from '../model/filter-config';
import type { Route } from '../model/route';
import { routesOfHost, type VirtualHost } from '../model/route-config';
import { type Denied, findDenied } from '../requests/filters/denied';
import { clientOf, type Profile } from '../xds/profile';
import { type HostUse, ignoredRoutesOf } from './host-use';

interface ServingHost {
  readonly routeConfig: string;
  readonly host: VirtualHost;
  readonly path: string;
  readonly use: HostUse;
}

interface Filter extends Denied {
  readonly name: string;
  readonly ignoredBecause: string;
}

/**
 * Returns why every RPC of a gRPC client fails at the routes of its virtual host, whatever its clusters do; empty if one of
 * them may succeed.
 */
export function whyNothingServed(
  { routeConfig, host, path, use }: ServingHost,
  filters: readonly Filter[],
  profile: Profile,
): string {
  if (clientOf(profile) === 'envoy' || host.matcherRoutes !== undefined) return '';
  const subject = `virtual host "${host.name}" of route configuration "${routeConfig}"`;
  if (host.routes.length === 0) return `${subject} has no routes`;
  const ignored = ignoredRoutesOf(use, path);
  let first = '';
  for (const [index, route] of host.routes.entries()) {
    const why = ignored.get(index) ?? whyUnsupported(route) ?? whyDenied(host, route, filters, profile);
    if (why === undefined) return '';
    first ||= why;
  }
  return `${subject} serves no RPC: ${first}`;
}

function whyUnsupported({ action }: Route): string | undefined {
  switch (action.kind) {
    case 'redirect':
    case 'direct-response':
    case 'other':
    case 'non-forwarding':
      return 'gRPC forwards no RPC for a route with this action';
    default:
      return undefined;
  }
}

/** What a filter denies of the requests that the route matches. */
export function deniedAt(
  { name, denied, deniesAll }: Filter,
  host: VirtualHost,
  route: Route,
  profile: Profile,
): Denied {
  const isOwn = ({ filter }: FilterOverride): boolean => filter === name;
  const own = route.overrides?.find(isOwn) ?? host.overrides?.find(isOwn);
  return own === undefined
    ? { denied, ...(deniesAll && { deniesAll }) }
    : findDenied(own.config, 'requests', profile);
}

function whyDenied(
  host: VirtualHost,
  route: Route,
  filters: readonly Filter[],
  profile: Profile,
): string | undefined {
  for (const filter of filters) {
    if (filter.ignoredBecause !== '') continue;
    const { denied, deniesAll } = deniedAt(filter, host, route, profile);
    if (deniesAll) return `filter "${filter.name}" ${denied}`;
  }
  return undefined;
}

interface DenyingChain {
  readonly hosts: readonly Pick<ServingHost, 'host'>[];
  readonly httpFilters: readonly Filter[];
}

/** The requests that the filters deny, with the overrides of routes; empty if there are none. */
export function describeDenied(chains: readonly DenyingChain[], profile: Profile): string {
  const found = new Set<string>();
  for (const { hosts, httpFilters } of chains) {
    for (const filter of httpFilters) {
      if (filter.ignoredBecause !== '') continue;
      const texts = new Set(
        hosts.flatMap(({ host }) =>
          [...routesOfHost(host)].map(({ route }) => deniedAt(filter, host, route, profile).denied),
        ),
      );
      for (const text of texts)
        if (text !== '')
          found.add(`filter "${filter.name}" ${text}${texts.size > 1 ? ' on some routes' : ''}`);
    }
  }
  return [...found].join('; ');
}
