import { filter, least } from 'd3';
import { type ConvergenceFact, isPolled } from './convergence-fact';
import type { ConvergenceTarget } from './convergence-target';
import { isSentBy } from './server-names';

export interface VersionKey {
  readonly typeUrl: string;
  readonly version: string;
  /** null if no server is reported, as in polls of clients. */
  readonly server: string | null;
}

/** The hashes of a version's resources, by name. Servers may use the same version for different contents. */
export type VersionContents = ReadonlyMap<string, ReadonlySet<string>>;

/** `facts` include all facts of the type with the version. */
export function versionContents(
  facts: Iterable<ConvergenceFact>,
  { version, server }: VersionKey,
): VersionContents {
  const contents = new Map<string, Set<string>>();
  for (const fact of facts) {
    const { what, name, hash } = fact;
    if (name === null || fact.version !== version) continue;
    if (server === null ? what !== 'sent' && what !== 'accepted' && what !== 'rejected' : what !== 'sent')
      continue;
    if (server !== null && !isSentBy(fact, server)) continue;
    const hashes = contents.get(name) ?? new Set();
    if (hash !== null) hashes.add(hash);
    contents.set(name, hashes);
  }
  return contents;
}

/** Returns undefined if no fact is about the version. `facts` include all facts of the type with the version. */
export function versionTarget(
  facts: Iterable<ConvergenceFact>,
  key: VersionKey,
  contents: VersionContents,
): ConvergenceTarget | undefined {
  const { typeUrl, version, server } = key;
  const isIt = (fact: ConvergenceFact): boolean => {
    const { what, name, hash } = fact;
    if (fact.typeUrl !== typeUrl || fact.version !== version) return false;
    if (what === 'sent' && name === null) return isSentBy(fact, server);
    if (name === null) return fact.nonceKey !== null && server === null;
    // On streams the message decides, not its resources.
    if (!isPolled(fact)) return what === 'sent' && isSentBy(fact, server);
    const known = contents.get(name);
    return server === null || (known !== undefined && (hash === null || known.has(hash)));
  };
  const first = least(filter(facts, isIt), ({ at }) => at);
  if (first === undefined) return undefined;
  const { at: firstAt, after: firstAfter } = first;
  return {
    typeUrl,
    firstAt,
    ...(firstAfter !== undefined && { firstAfter }),
    hash: null,
    version,
    isIt,
    hasContent: ({ name, hash }) => name !== null && hash !== null && contents.get(name)?.has(hash) === true,
    isNamed: ({ name }) => name !== null && contents.has(name),
    // Clients report the version also for resources that it did not change.
    concerns: (fact) => isIt(fact) || (fact.name !== null && contents.has(fact.name)),
    isNewer: ({ what, name, at, after, version: other }) =>
      what === 'accepted' &&
      name !== null &&
      contents.has(name) &&
      other !== version &&
      (after ?? at) > firstAt,
  };
}
