import { filter } from 'd3';
import type { EpochMs } from '../xds/units';
import { type ConvergenceFact, isPolled } from './convergence-fact';
import type { ConvergenceTarget } from './convergence-target';
import { type ClientOutcome, decideClient, outcomeKinds } from './decide-client';
import type { FactIndex } from './fact-index';

/**
 * Decides the outcome of each client that was sent the target, has or rejected it, or holds another content of the same
 * resource. `knownSince` is the time of a client's first observation.
 */
export function classifyClients(
  index: FactIndex,
  target: ConvergenceTarget,
  {
    knownSince,
    concerned,
  }: { readonly knownSince: ReadonlyMap<string, EpochMs>; readonly concerned?: ReadonlySet<string> },
): ClientOutcome[] {
  const outcomes: ClientOutcome[] = [];
  const splitNames = findSplitNames(index.all());
  const versionedNames = findVersionedNames(index.all());
  const laterVersions = findLaterVersions(index.all(), target);
  for (const clientId of concerned ?? index.clientIds) {
    const facts = index
      .factsOf(clientId)
      .filter(({ typeUrl }) => typeUrl === '' || typeUrl === target.typeUrl);
    // Facts about streams are not about the target.
    if (!facts.some((fact) => fact.what !== 'gone' && fact.what !== 'back' && target.concerns(fact)))
      continue;
    outcomes.push(
      decideClient(clientId, facts, target, {
        joinedAt: knownSince.get(clientId),
        splitNames,
        versionedNames,
        laterVersions,
      }),
    );
  }
  return outcomes.sort(compareOutcomes);
}

function findLaterVersions(
  facts: Iterable<ConvergenceFact>,
  { typeUrl, firstAt }: ConvergenceTarget,
): ReadonlySet<string> {
  const later = new Set<string>();
  const earlier = new Set<string>();
  for (const fact of facts) {
    if (fact.typeUrl !== typeUrl || fact.version === '') continue;
    if (fact.at <= firstAt) earlier.add(fact.version);
    else if (!isPolled(fact)) later.add(fact.version);
  }
  return new Set(filter(later, (version) => !earlier.has(version)));
}

/** Stuck clients first, by severity; then the slowest first. */
function compareOutcomes(a: ClientOutcome, b: ClientOutcome): number {
  return (
    outcomeKinds.indexOf(a.kind) - outcomeKinds.indexOf(b.kind) ||
    (b.at ?? 0) - (a.at ?? 0) ||
    (a.clientId < b.clientId ? -1 : 1)
  );
}

/**
 * Removes the scopes of processes that streams report as a whole (gRFC A71), since streams report exact times. `wholeOf` maps
 * the client ids of scopes to those of processes.
 */
export function withoutScopes(
  outcomes: readonly ClientOutcome[],
  wholeOf: ReadonlyMap<string, string>,
): readonly ClientOutcome[] {
  if (wholeOf.size === 0) return outcomes;
  const reported = new Set(outcomes.map(({ clientId }) => clientId));
  return outcomes.filter(({ clientId }) => {
    const whole = wholeOf.get(clientId);
    return whole === undefined || !reported.has(whole);
  });
}

/**
 * Returns the resources whose content the server composes for each client, as Istio does with endpoints: different clients
 * have different contents under one version. A version under which one client had several contents proves nothing, since
 * the server reuses it.
 */
function findSplitNames(facts: Iterable<ConvergenceFact>): ReadonlySet<string> {
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
function findVersionedNames(facts: Iterable<ConvergenceFact>): ReadonlySet<string> {
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
