import { filter, least } from 'd3';
import { type ConvergenceFact, isPolled } from './convergence-fact';
import type { ConvergenceTarget } from './convergence-target';
import type { FactIndex, FactInterest } from './fact-index';
import { findContents, type ResourceContent, resourceTarget } from './resource-target';
import { isSentBy, namesOfServers } from './server-names';

interface ResourceQuestion {
  readonly kind: 'resource';
  readonly typeUrl: string;
  readonly name: string;
  /** The newest content with this hash; by default the newest content. */
  readonly hash?: string;
}

interface VersionQuestion {
  readonly kind: 'version';
  readonly typeUrl: string;
  readonly version: string;
  /** The default is the server that sent the version last. */
  readonly server?: string;
}

export type ConvergenceQuestion = ResourceQuestion | VersionQuestion;

export interface FoundTarget {
  readonly target: ConvergenceTarget;
  /** The server's name as in namesOfServers(); null if it is not reported. */
  readonly server: string | undefined;
  readonly servers: readonly string[];
  /** The changed resource, or the first resources of the version. */
  readonly names: readonly string[];
  readonly nameCount: number;
  /** The contents of a resource, oldest first; none for a version. */
  readonly contents: readonly ResourceContent[];
  readonly contentPlace: number;
}

/** The largest number of a version's resources that are compared with those of other clients. */
const mostNames = 64;

export function interestOf(question: ConvergenceQuestion): FactInterest {
  return { typeUrl: question.typeUrl, name: question.kind === 'resource' ? question.name : null };
}

/** Returns undefined if no fact is about the question. */
export function findTarget(index: FactIndex, question: ConvergenceQuestion): FoundTarget | undefined {
  return question.kind === 'resource'
    ? findContent(index, question)
    : findVersion([...index.all()], question);
}

function findContent(index: FactIndex, { typeUrl, name, hash }: ResourceQuestion): FoundTarget | undefined {
  const facts = [...index.all()];
  const contents = findContents(facts);
  let place = contents.length - 1;
  while (hash !== undefined && place >= 0 && contents[place]?.hash !== hash) place -= 1;
  const target = resourceTarget(typeUrl, contents, place);
  if (target === undefined) return undefined;
  const servers = namesOfServers(facts.filter(target.isIt));
  const server = servers.at(-1);
  return { target, server, servers, names: [name], nameCount: 1, contents, contentPlace: place };
}

/** `facts` include all facts of the type with the version. */
export function findVersion(
  facts: readonly ConvergenceFact[],
  { typeUrl, version, server: asked }: VersionQuestion,
): FoundTarget | undefined {
  const own = facts.filter((fact) => fact.typeUrl === typeUrl && fact.version === version);
  const servers = namesOfServers(own);
  const server = asked ?? servers.at(-1);
  const key = { typeUrl, version, server };
  const contents = versionContents(own, key);
  const target = versionTarget(own, key, contents);
  if (target === undefined) return undefined;
  const names = [...contents.keys()].slice(0, mostNames);
  return { target, server, servers, names, nameCount: contents.size, contents: [], contentPlace: 0 };
}

interface VersionKey {
  readonly typeUrl: string;
  readonly version: string;
  /** null if no server is reported, as in polls of clients. */
  readonly server: string | undefined;
}

/** The hashes of a version's resources, by name. Servers may use the same version for different contents. */
type VersionContents = ReadonlyMap<string, ReadonlySet<string>>;

/** `facts` include all facts of the type with the version. */
function versionContents(facts: Iterable<ConvergenceFact>, { version, server }: VersionKey): VersionContents {
  const contents = new Map<string, Set<string>>();
  for (const fact of facts) {
    const { what, name, hash } = fact;
    if (name === null || fact.version !== version) continue;
    if (
      server === undefined ? what !== 'sent' && what !== 'accepted' && what !== 'rejected' : what !== 'sent'
    )
      continue;
    if (server !== undefined && !isSentBy(fact, server)) continue;
    const hashes = contents.get(name) ?? new Set();
    if (hash !== null) hashes.add(hash);
    contents.set(name, hashes);
  }
  return contents;
}

/** Returns undefined if no fact is about the version. `facts` include all facts of the type with the version. */
function versionTarget(
  facts: Iterable<ConvergenceFact>,
  key: VersionKey,
  contents: VersionContents,
): ConvergenceTarget | undefined {
  const { typeUrl, version, server } = key;
  const isIt = (fact: ConvergenceFact): boolean => {
    const { what, name, hash } = fact;
    if (fact.typeUrl !== typeUrl || fact.version !== version) return false;
    if (what === 'sent' && name === null) return isSentBy(fact, server);
    if (name === null) return fact.nonceKey !== null && server === undefined;
    // On streams the message decides, not its resources.
    if (!isPolled(fact)) return what === 'sent' && isSentBy(fact, server);
    const known = contents.get(name);
    return server === undefined || (known !== undefined && (hash === null || known.has(hash)));
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
