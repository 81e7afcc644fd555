import type { ConvergenceFact } from './convergence-fact';
import { type ConvergenceQuestion, type FoundTarget, findTarget, findVersion } from './convergence-question';
import { FactIndex } from './fact-index';
import { namesOfServers } from './server-names';

/** Something that was sent, as a question that asks for it. */
export interface FoundPush {
  readonly question: ConvergenceQuestion;
  readonly found: FoundTarget;
  /** Who was sent it or says anything of it. */
  readonly clientIds: ReadonlySet<string>;
  readonly sourceIds: ReadonlySet<string>;
}

/**
 * The newest pushes: versions, by type and server; where messages carry no version, contents of resources. What a poll
 * reports at its first look was there before, and makes none.
 */
export function findPushes(book: FactIndex, most: number): FoundPush[] {
  const groups = new Map<string, Group>();
  for (const fact of book.all()) {
    if (fact.version === '' && (fact.name === null || fact.hash === null)) continue;
    const key = keyOf(fact);
    const group = groups.get(key) ?? { facts: [], makesPush: false };
    group.facts.push(fact);
    if (
      fact.what === 'sent'
        ? fact.after !== null
        : (fact.what === 'accepted' || fact.what === 'rejected') && typeof fact.after === 'number'
    ) {
      group.makesPush = true;
    }
    groups.set(key, group);
  }
  const candidates = [...groups.values()].filter(({ makesPush }) => makesPush);
  return candidates
    .flatMap(({ facts }) => pushesOf(facts))
    .sort((a, b) => b.found.target.firstAt - a.found.target.firstAt)
    .slice(0, most);
}

interface Group {
  readonly facts: ConvergenceFact[];
  makesPush: boolean;
}

function keyOf({ typeUrl, version, name, hash }: ConvergenceFact): string {
  return version === '' ? `${typeUrl}\u0000\u0000${name}\u0000${hash}` : `${typeUrl}\u0000${version}`;
}

function pushesOf(facts: readonly ConvergenceFact[]): FoundPush[] {
  const [first] = facts;
  if (first === undefined) return [];
  const { typeUrl, version, name, hash } = first;
  if (version === '') {
    if (name === null || hash === null) return [];
    const book = new FactIndex({ typeUrl, name });
    for (const fact of facts) book.add(fact);
    const question = { kind: 'resource', typeUrl, name, hash } as const;
    const found = findTarget(book, question);
    return found === undefined ? [] : [pushOf(question, found, facts)];
  }
  const servers = namesOfServers(facts);
  const asked = servers.length === 0 ? [undefined] : servers;
  return asked.flatMap((server) => {
    const question = { kind: 'version', typeUrl, version, ...(server !== undefined && { server }) } as const;
    const found = findVersion(facts, question);
    return found === undefined ? [] : [pushOf(question, found, facts)];
  });
}

function pushOf(
  question: ConvergenceQuestion,
  found: FoundTarget,
  facts: readonly ConvergenceFact[],
): FoundPush {
  const own = facts.filter(found.target.isIt);
  return {
    question,
    found,
    clientIds: new Set(own.map(({ clientId }) => clientId)),
    sourceIds: new Set(own.flatMap(({ what, sourceId }) => (what === 'sent' ? [sourceId] : []))),
  };
}
