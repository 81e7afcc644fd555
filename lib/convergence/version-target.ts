import { type ConvergenceFact, isPolled } from './convergence-fact';
import { type ConvergenceTarget, firstOf } from './convergence-target';
import { isSentBy } from './server-names';

export interface VersionKey {
  readonly typeUrl: string;
  readonly version: string;
  /** null: no source reports, as where only clients were polled. */
  readonly server: string | null;
}

/** What a version of a type brought, by resource: different servers may use the same word for different things. */
export type VersionContents = ReadonlyMap<string, ReadonlySet<string>>;

/** `facts`: everything of the type that says the version. */
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

/** undefined: nobody has seen it. `facts`: everything of the type that says the version. */
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
    // Of what a stream reported single resources the message decides.
    if (!isPolled(fact)) return what === 'sent' && isSentBy(fact, server);
    const known = contents.get(name);
    return server === null || (known !== undefined && (hash === null || known.has(hash)));
  };
  const own = function* () {
    for (const fact of facts) if (isIt(fact)) yield fact;
  };
  const first = firstOf(own());
  if (first === undefined) return undefined;
  const { at: firstAt, after: firstAfter } = first;
  return {
    typeUrl,
    firstAt,
    ...(firstAfter !== undefined && { firstAfter }),
    hash: null,
    isIt,
    // The version stands beside resources that it did not change, too.
    concerns: (fact) => isIt(fact) || (fact.name !== null && contents.has(fact.name)),
    isNewer: ({ what, name, at, after, version: other }) =>
      what === 'accepted' &&
      name !== null &&
      contents.has(name) &&
      other !== version &&
      (after ?? at) > firstAt,
  };
}
