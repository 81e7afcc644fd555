import type { VirtualHost } from '../model/route-config';
import { clientOf, type Profile } from '../xds/profile';

type DomainClass = 'exact' | 'suffix' | 'prefix' | 'universe' | 'invalid';

type VirtualHostChoice =
  | { readonly kind: 'found'; readonly index: number; readonly domain: string }
  | { readonly kind: 'none'; readonly reason: string };

const rankOf: Record<DomainClass, number> = { exact: 0, suffix: 1, prefix: 2, universe: 3, invalid: 4 };

/**
 * "*.foo.com" is a suffix pattern, "foo.*" a prefix pattern. A "*" elsewhere and an empty domain are invalid (R3); Envoy
 * accepts "a*b" as the name of a host.
 */
function classOfDomain(domain: string, profile: Profile): DomainClass {
  if (domain === '') return 'invalid';
  if (domain === '*') return 'universe';
  if (domain.startsWith('*')) return 'suffix';
  if (domain.endsWith('*')) return 'prefix';
  return domain.includes('*') && clientOf(profile) !== 'envoy' ? 'invalid' : 'exact';
}

/**
 * The virtual host for a data-plane authority: exact before suffix before prefix before "*"; the longer pattern
 * within a class; the first of equals. Java compares lengths across suffix and prefix. Go and Node are case-sensitive
 * and let "*" match the empty string; in Go one invalid pattern leaves no virtual host at all.
 */
export function selectVirtualHost(
  hosts: readonly Pick<VirtualHost, 'domains'>[],
  authority: string,
  profile: Profile,
): VirtualHostChoice {
  const mindsCase = clientOf(profile) === 'go' || clientOf(profile) === 'node';
  const least = mindsCase ? 0 : 1;
  const spell = (text: string): string => (mindsCase ? text : text.toLowerCase());
  let best: { readonly index: number; readonly domain: string } | undefined;
  for (const [index, { domains }] of hosts.entries()) {
    for (const domain of domains) {
      const kind = classOfDomain(domain, profile);
      if (kind === 'invalid') {
        if (clientOf(profile) !== 'go') continue;
        const reason = `the domain ${JSON.stringify(domain)} is invalid: Go finds no virtual host at all`;
        return { kind: 'none', reason };
      }
      if (!matches(spell(authority), spell(domain), kind, least)) continue;
      if (best === undefined || isBetter(domain, best.domain, profile)) best = { index, domain };
    }
  }
  if (best !== undefined) return { kind: 'found', ...best };
  const reason = `no virtual host has a domain that matches ${JSON.stringify(authority)}`;
  return { kind: 'none', reason };
}

/** `least` is the minimum number of characters that a "*" must match. */
function matches(authority: string, domain: string, kind: DomainClass, least: number): boolean {
  switch (kind) {
    case 'exact':
      return authority === domain;
    case 'universe':
      return true;
    case 'suffix':
      return authority.endsWith(domain.slice(1)) && authority.length - (domain.length - 1) >= least;
    case 'prefix':
      return authority.startsWith(domain.slice(0, -1)) && authority.length - (domain.length - 1) >= least;
    case 'invalid':
      return false;
  }
}

function isBetter(domain: string, than: string, profile: Profile): boolean {
  const [own, other] = [classOfDomain(domain, profile), classOfDomain(than, profile)];
  const areWild = [own, other].every((each) => each === 'suffix' || each === 'prefix');
  if (clientOf(profile) === 'java' && areWild && domain.length !== than.length)
    return domain.length > than.length;
  return rankOf[own] < rankOf[other] || (own === other && domain.length > than.length);
}
