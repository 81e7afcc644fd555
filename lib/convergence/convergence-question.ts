import type { ConvergenceFact } from './convergence-fact';
import type { ConvergenceTarget } from './convergence-target';
import type { FactIndex, FactInterest } from './fact-index';
import { findContents, type ResourceContent, resourceTarget } from './resource-target';
import { namesOfServers } from './server-names';
import { versionContents, versionTarget } from './version-target';

export interface ResourceQuestion {
  readonly kind: 'resource';
  readonly typeUrl: string;
  readonly name: string;
  /** Which content: the newest one of this hash; not there: the newest. */
  readonly hash?: string;
}

export interface VersionQuestion {
  readonly kind: 'version';
  readonly typeUrl: string;
  readonly version: string;
  /** Not there: whoever sent it last. */
  readonly server?: string;
}

export type ConvergenceQuestion = ResourceQuestion | VersionQuestion;

/** What a question comes to, with what is known. */
export interface FoundTarget {
  readonly target: ConvergenceTarget;
  /** Whose it is, as namesOfServers() calls it; null: not reported. */
  readonly server: string | null;
  /** All that have sent it under this word. */
  readonly servers: readonly string[];
  /** What it changed: the resource; or some of the version's. */
  readonly names: readonly string[];
  readonly nameCount: number;
  /** Of a resource, oldest first; none of a version. */
  readonly contents: readonly ResourceContent[];
  readonly contentPlace: number;
}

/** So many of a version's resources are looked for with clients that were not sent it. */
const mostNames = 64;

export function interestOf(question: ConvergenceQuestion): FactInterest {
  return { typeUrl: question.typeUrl, name: question.kind === 'resource' ? question.name : null };
}

/** undefined: nothing is known of it. */
export function findTarget(book: FactIndex, question: ConvergenceQuestion): FoundTarget | undefined {
  return question.kind === 'resource' ? findContent(book, question) : findVersion([...book.all()], question);
}

function findContent(book: FactIndex, { typeUrl, name, hash }: ResourceQuestion): FoundTarget | undefined {
  const facts = [...book.all()];
  const contents = findContents(facts);
  let place = contents.length - 1;
  while (hash !== undefined && place >= 0 && contents[place]?.hash !== hash) place -= 1;
  const target = resourceTarget(typeUrl, contents, place);
  if (target === undefined) return undefined;
  const servers = namesOfServers(facts.filter(target.isIt));
  const server = servers.at(-1) ?? null;
  return { target, server, servers, names: [name], nameCount: 1, contents, contentPlace: place };
}

/** `facts`: at least everything of the type that says the version. */
export function findVersion(
  facts: readonly ConvergenceFact[],
  { typeUrl, version, server: asked }: VersionQuestion,
): FoundTarget | undefined {
  const own = facts.filter((fact) => fact.typeUrl === typeUrl && fact.version === version);
  const servers = namesOfServers(own);
  const server = asked ?? servers.at(-1) ?? null;
  const key = { typeUrl, version, server };
  const contents = versionContents(own, key);
  const target = versionTarget(own, key, contents);
  if (target === undefined) return undefined;
  const names = [...contents.keys()].slice(0, mostNames);
  return { target, server, servers, names, nameCount: contents.size, contents: [], contentPlace: 0 };
}
