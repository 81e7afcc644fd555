import type { ConvergenceFact } from './convergence-fact';

/**
 * Returns the resources whose content the server composes for each client, as Istio does with endpoints: different clients
 * have different contents under one version. A version under which one client had several contents proves nothing, since
 * the server reuses it.
 */
export function findSplitNames(facts: Iterable<ConvergenceFact>): ReadonlySet<string> {
  const versions = new Map<string, ContentsOfVersion>();
  for (const { what, typeUrl, name, version, hash, clientId } of facts) {
    if (name === null || hash === null || version === '') continue;
    if (what !== 'sent' && what !== 'accepted') continue;
    const key = `${typeUrl}\u0000${name}\u0000${version}`;
    const known = versions.get(key);
    if (known === undefined) {
      versions.set(key, {
        name,
        hashOf: new Map([[clientId, hash]]),
        hashes: new Set([hash]),
        isReused: false,
      });
      continue;
    }
    const before = known.hashOf.get(clientId);
    if (before !== undefined && before !== hash) known.isReused = true;
    known.hashOf.set(clientId, hash);
    known.hashes.add(hash);
  }
  const split = new Set<string>();
  for (const { name, hashes, isReused } of versions.values()) {
    if (hashes.size > 1 && !isReused) split.add(name);
  }
  return split;
}

/** Returns the resources that some client or server reports with a version. */
export function findVersionedNames(facts: Iterable<ConvergenceFact>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { name, version } of facts) if (name !== null && version !== '') names.add(name);
  return names;
}

interface ContentsOfVersion {
  readonly name: string;
  readonly hashOf: Map<string, string>;
  readonly hashes: Set<string>;
  isReused: boolean;
}
