import { runSteps, type Steps } from '../../cooperative/steps';
import type { VirtualHost } from '../../model/route-config';
import { ignoredRoutesOf } from '../../resolve/host-use';
import type { ChainConfig, HostConfig } from '../../resolve/resolve-listener';
import { selectVirtualHost } from '../../resolve/select-virtual-host';
import type { Profile } from '../../xds/profile';
import { findReach, type Reach } from './find-reach';

/** The virtual host of an effective config whose routes are decided. */
interface HostOfChain {
  readonly host: HostConfig;
  readonly chain: Pick<ChainConfig, 'routeConfigs'>;
  /** The authority of the channel; absent if each request has its own. */
  readonly authority?: string | undefined;
  readonly profile: Profile;
}

export type HostReach = readonly (Reach | undefined)[];

/** Kept as long as the virtual host, by profile and authority. */
const known = new WeakMap<VirtualHost, Map<string, HostReach>>();

/** By index of the route; undefined for a route that the client does not use. */
export function reachOfHost(of: HostOfChain): HostReach {
  return runSteps(decideReach(of));
}

export function* decideReach({
  host: { host, path, use },
  chain,
  authority,
  profile,
}: HostOfChain): Steps<HostReach> {
  const ignored = new Set(ignoredRoutesOf(use, path).keys());
  const hosts = chain.routeConfigs.flatMap(({ hosts: all }) =>
    all.some((each) => each.host === host) ? all.map((each) => each.host) : [],
  );
  const accepts = (name: string): boolean => {
    const choice = selectVirtualHost(hosts, name, profile);
    return choice.kind === 'found' && hosts[choice.index] === host;
  };
  const own =
    authority ?? host.domains.map(authorityOf).find((name, at) => host.domains[at] === name || accepts(name));
  const key = JSON.stringify([profile, own ?? '']);
  const kept = known.get(host)?.get(key);
  if (kept !== undefined) return kept;
  const { routes } = host;
  const reach =
    own === undefined
      ? routes.map((_, at): Reach | undefined =>
          ignored.has(at) ? undefined : { kind: 'never', reason: 'no authority selects its virtual host' },
        )
      : yield* findReach({ routes, authority: own, accepts, profile, ignored });
  known.set(host, (known.get(host) ?? new Map<string, HostReach>()).set(key, reach));
  return reach;
}

/** An authority that the domain matches. */
function authorityOf(domain: string): string {
  if (domain === '*') return 'any.example';
  if (domain.endsWith(':*')) return domain.replace('*', '80');
  return domain.replace('*', domain.endsWith('.*') ? 'example' : 'any');
}
