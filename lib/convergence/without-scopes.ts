import type { ClientOutcome } from './decide-client';

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
