import { byDescending } from '../collections/compare';
import { type ConvergenceFact, isOwnRendering } from './convergence-fact';
import { type ConvergenceQuestion, type FoundTarget, findTarget, findVersion } from './convergence-question';
import { FactIndex } from './fact-index';
import { namesOfServers } from './server-names';

interface FoundPush {
  readonly question: ConvergenceQuestion;
  readonly found: FoundTarget;
  readonly clientIds: ReadonlySet<string>;
  readonly sourceIds: ReadonlySet<string>;
}

/**
 * Finds the newest pushes: versions by type and server, or contents of resources if messages contain no version. Facts of a
 * first poll do not make a push, since they may be old.
 */
export function findPushes(index: FactIndex, most: number): FoundPush[] {
  const groups = new Map<string, Group>();
  const versioned = new Set<string>();
  for (const { typeUrl, name, version } of index.all()) {
    if (name !== null && version !== '') versioned.add(`${typeUrl}\u0000${name}`);
  }
  for (const fact of index.all()) {
    if (fact.version === '' && (fact.name === null || fact.hash === null)) continue;
    if (isOwnRendering(fact) && versioned.has(`${fact.typeUrl}\u0000${fact.name}`)) continue;
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
    .sort(byDescending((each) => each.found.target.firstAt))
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
    const index = new FactIndex({ typeUrl, name });
    for (const fact of facts) index.add(fact);
    const question = { kind: 'resource', typeUrl, name, hash } as const;
    const found = findTarget(index, question);
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
