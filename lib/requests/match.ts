/** The result of one condition. `path` is its field, relative to the message that contains it. */
export type Match =
  | { readonly verdict: 'match' }
  | { readonly verdict: 'no-match'; readonly reason: string; readonly path: string }
  | {
      readonly verdict: 'depends';
      readonly reason: string;
      readonly path: string;
      /** The share of requests for which it holds, if every input is known. */
      readonly percent?: number;
    };

export const matched: Match = { verdict: 'match' };

export function matchIf(holds: boolean, path: string, reason: () => string): Match {
  return holds ? matched : { verdict: 'no-match', reason: reason(), path };
}

/** All conditions must hold: returns the first that fails; if none fails, the first that depends on something else. */
export function matchAll(conditions: Iterable<Match>): Match {
  let depends: Match | undefined;
  for (const each of conditions) {
    if (each.verdict === 'no-match') return each;
    if (each.verdict === 'depends') depends ??= each;
  }
  return depends ?? matched;
}

/** One of the conditions must hold. */
export function matchAny(conditions: Iterable<Match>): Match {
  let depends: Match | undefined;
  let first: Match | undefined;
  let failed = 0;
  for (const each of conditions) {
    if (each.verdict === 'match') return each;
    if (each.verdict === 'depends') depends ??= each;
    else {
      first ??= each;
      failed++;
    }
  }
  if (depends !== undefined) return depends;
  if (first?.verdict !== 'no-match') return { verdict: 'no-match', reason: 'it has no conditions', path: '' };
  return failed === 1
    ? first
    : { ...first, reason: `none of ${failed} conditions holds; the first: ${first.reason}` };
}

export function invertMatch(match: Match, path: string, reason: string): Match {
  if (match.verdict === 'depends') return match;
  return matchIf(match.verdict === 'no-match', path, () => reason);
}
