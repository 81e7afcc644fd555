/** Who should have got which part of the requests, and who did. */
export interface SplitLine {
  readonly name: string;
  /** 0 to 1; null: nothing is known of it. */
  readonly expected: number | null;
  /** Requests. */
  readonly measured: number;
  /** Of all that were measured; null: there were none. */
  readonly share: number | null;
  /** Between these shares chance alone may bring it; null where nothing is expected or measured. */
  readonly chance: { readonly from: number; readonly to: number } | null;
  readonly verdict: 'within' | 'more' | 'less' | 'unknown';
}

/** A mark is wrong once in so many comparisons, whatever the number of lines. */
const falseMarks = 1_000;

/**
 * Each request goes to a line with its expected probability: how many a line gets is binomial. Chernoff's bound holds for
 * any number of requests: P(share at least as far from p as q) <= 2 exp(-n KL(q || p)); it is divided among the lines
 * (Bonferroni), so that any mark at all is as rare as said.
 */
export function compareSplit(
  expected: readonly { readonly name: string; readonly share: number }[],
  measured: readonly { readonly name: string; readonly count: number }[],
): SplitLine[] {
  const names = [...new Set([...expected, ...measured].map(({ name }) => name))];
  const all = measured.reduce((sum, { count }) => sum + count, 0);
  const bound = Math.log(2 * Math.max(1, names.length) * falseMarks);
  const isKnown = expected.length > 0;
  return names.map((name): SplitLine => {
    const count = sumOf(measured.filter((line) => line.name === name).map((line) => line.count));
    const p = sumOf(expected.filter((line) => line.name === name).map((line) => line.share));
    const share = all === 0 ? null : count / all;
    const line = { name, expected: isKnown ? Math.min(1, p) : null, measured: count, share };
    if (share === null || !isKnown) return { ...line, chance: null, verdict: 'unknown' };
    const limit = bound / all;
    const chance = { from: lowest(Math.min(1, p), limit), to: 1 - lowest(1 - Math.min(1, p), limit) };
    const verdict = share > chance.to ? 'more' : share < chance.from ? 'less' : 'within';
    return { ...line, chance, verdict };
  });
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Kullback-Leibler divergence of one coin from another. */
function divergence(q: number, p: number): number {
  return term(q, p) + term(1 - q, 1 - p);
}

function term(q: number, p: number): number {
  if (q === 0) return 0;
  return p === 0 ? Number.POSITIVE_INFINITY : q * Math.log(q / p);
}

/** The smallest share that is no further from `p` than the limit. */
function lowest(p: number, limit: number): number {
  if (p === 0 || divergence(0, p) <= limit) return 0;
  let [out, within] = [0, p];
  for (let round = 0; round < 60; round++) {
    const middle = (out + within) / 2;
    if (divergence(middle, p) <= limit) within = middle;
    else out = middle;
  }
  return within;
}
