import type { Denied } from '../model/denied-requests';
import type { Route } from '../model/route';
import type { VirtualHost } from '../model/route-config';
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
  if (clientOf(profile) === 'envoy' || host.isByMatcher) return '';
  const subject = `virtual host "${host.name}" of route configuration "${routeConfig}"`;
  if (host.routes.length === 0) return `${subject} has no routes`;
  const ignored = ignoredRoutesOf(use, path);
  let first = '';
  for (const [index, route] of host.routes.entries()) {
    const why =
      ignored.get(index) ??
      whyUnsupported(route) ??
      whyDenied([...(host.overrides ?? []), ...(route.overrides ?? [])], filters);
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

function whyDenied(
  overrides: readonly (Denied & { readonly filter: string })[],
  filters: readonly Filter[],
): string | undefined {
  const denying = filters.find(({ name, ignoredBecause, deniesAll }) => {
    if (ignoredBecause !== '') return false;
    const own = overrides.findLast(({ filter }) => filter === name);
    return own === undefined ? deniesAll : own.deniesAll;
  });
  if (denying === undefined) return undefined;
  const own = overrides.findLast(({ filter }) => filter === denying.name) ?? denying;
  return `filter "${denying.name}" ${own.denied}`;
}

interface DenyingChain {
  readonly hosts: readonly Pick<ServingHost, 'host'>[];
  readonly httpFilters: readonly Filter[];
}

/** The requests that the filters deny, with the overrides of routes; empty if there are none. */
export function describeDenied(chains: readonly DenyingChain[]): string {
  const found = new Set<string>();
  for (const { hosts, httpFilters } of chains) {
    for (const filter of httpFilters) {
      if (filter.ignoredBecause !== '') continue;
      const texts = new Set(
        hosts.flatMap(({ host }) =>
          host.routes.map((route) => {
            const overrides = [...(host.overrides ?? []), ...(route.overrides ?? [])];
            return (overrides.findLast((each) => each.filter === filter.name) ?? filter).denied;
          }),
        ),
      );
      for (const text of texts)
        if (text !== '')
          found.add(`filter "${filter.name}" ${text}${texts.size > 1 ? ' on some routes' : ''}`);
    }
  }
  return [...found].join('; ');
}
