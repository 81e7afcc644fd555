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
