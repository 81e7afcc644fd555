import { by } from '../collections/compare';
import type { EpochMs } from '../xds/units';
import { type ConvergenceFact, isOwnRendering } from './convergence-fact';
import type { ConvergenceTarget } from './convergence-target';

export interface ResourceContent {
  readonly hash: string;
  /** The same content may be sent under several versions. */
  readonly versions: readonly string[];
  readonly firstAt: EpochMs;
  readonly firstAfter?: EpochMs | null;
}

/**
 * Lists a resource's contents, in the order of their first observations. A content that returns after another one is listed
 * again. `facts` are those of all clients about one resource.
 */
export function findContents(facts: readonly ConvergenceFact[]): ResourceContent[] {
  const hasVersions = facts.some(({ version }) => version !== '');
  const firsts = new Map<string, ConvergenceFact & { readonly hash: string }>();
  for (const fact of facts) {
    const { what, hash } = fact;
    if (hash === null || (what !== 'sent' && what !== 'accepted' && what !== 'rejected')) continue;
    if (hasVersions && isOwnRendering(fact)) continue;
    const key = pairKey(fact);
    const known = firsts.get(key);
    if (known === undefined || fact.at < known.at) firsts.set(key, { ...fact, hash });
  }
  const contents: (ResourceContent & { readonly versions: string[] })[] = [];
  for (const { hash, version, at, after } of [...firsts.values()].sort(by(({ at }) => at))) {
    const last = contents.at(-1);
    if (last?.hash === hash) last.versions.push(version);
    else
      contents.push({
        hash,
        versions: [version],
        firstAt: at,
        ...(after !== undefined && { firstAfter: after }),
      });
  }
  return contents;
}

/** `place` is the index of the content that is the target. */
export function resourceTarget(
  typeUrl: string,
  contents: readonly ResourceContent[],
  place: number,
): ConvergenceTarget | undefined {
  const content = contents[place];
  if (content === undefined) return undefined;
  const { hash, firstAt, firstAfter } = content;
  const own = pairsOf([content]);
  const newer = pairsOf(contents.slice(place + 1));
  const versions = new Set(content.versions);
  return {
    typeUrl,
    firstAt,
    ...(firstAfter !== undefined && { firstAfter }),
    hash,
    version: null,
    isIt(fact) {
      if (fact.name === null) return false;
      if (fact.hash === null) return fact.version !== '' && versions.has(fact.version);
      if (own.has(pairKey(fact))) return true;
      // Clients keep the first version of a content.
      return fact.hash === hash && fact.at >= firstAt && !newer.has(pairKey(fact));
    },
    hasContent: (fact) => fact.name !== null && fact.hash === hash,
    isNamed: ({ name }) => name !== null,
    concerns: ({ name }) => name !== null,
    isNewer: (fact) => fact.name !== null && fact.hash !== hash && newer.has(pairKey(fact)),
  };
}

function pairsOf(contents: readonly ResourceContent[]): Set<string> {
  return new Set(
    contents.flatMap(({ hash, versions }) => versions.map((version) => pairKey({ hash, version }))),
  );
}

function pairKey({ hash, version }: { readonly hash: string | null; readonly version: string }): string {
  return `${hash}\u0000${version}`;
}
