import type { EpochMs } from '../xds/units';
import type { ConvergenceTarget } from './convergence-target';
import { type ClientOutcome, decideClient } from './decide-client';
import type { FactIndex } from './fact-index';

/**
 * Everybody's way to the target. Counted is who was sent it, has it or rejected it, and who holds another content of
 * the same resource; in a book of one resource that is everybody. `knownSince`: since when xdscope knows a client.
 */
export function validateClients(
  book: FactIndex,
  target: ConvergenceTarget,
  {
    knownSince,
    concerned,
  }: { readonly knownSince: ReadonlyMap<string, EpochMs>; readonly concerned?: ReadonlySet<string> },
): ClientOutcome[] {
  const outcomes: ClientOutcome[] = [];
  for (const clientId of concerned ?? book.clientIds) {
    const facts = book
      .factsOf(clientId)
      .filter(({ typeUrl }) => typeUrl === '' || typeUrl === target.typeUrl);
    // That it came or went says nothing of the target.
    if (!facts.some((fact) => fact.what !== 'gone' && fact.what !== 'back' && target.concerns(fact)))
      continue;
    outcomes.push(decideClient(clientId, facts, target, knownSince.get(clientId)));
  }
  return outcomes.sort(compareOutcomes);
}

/** Stuck ones first, those that are stuck the worst way before others; then who was slowest. */
const ranks: readonly ClientOutcome['kind'][] = [
  'rejected',
  'silent',
  'behind',
  'unclear',
  'missing',
  'accepted',
  'passed-over',
  'already',
  'joined-later',
  'left',
];

function compareOutcomes(a: ClientOutcome, b: ClientOutcome): number {
  return (
    ranks.indexOf(a.kind) - ranks.indexOf(b.kind) ||
    (b.at ?? 0) - (a.at ?? 0) ||
    (a.clientId < b.clientId ? -1 : 1)
  );
}

/**
 * Outcomes without those that tell the same twice: of a process that the wire reports as a whole and CSDS by scopes
 * (gRFC A71), the wire's counts, since it reports when. `wholeOf`: scope to whole, both client ids.
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
