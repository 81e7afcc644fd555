import { sum } from 'd3';
import type * as z from 'zod';
import type { splitLine } from './load-schemas';

type SplitLine = z.infer<typeof splitLine>;

/** One comparison out of this many has a wrong mark, whatever the number of lines. */
const falseMarks = 1_000;

/**
 * Each request goes to a line with its expected probability, so that the counts are binomial. Chernoff's bound holds for any
 * number of requests: P(share at least as far from p as q) <= 2 exp(-n KL(q || p)). It is divided by the number of lines
 * (Bonferroni).
 */
export function compareSplit(
  expected: readonly { readonly name: string; readonly share: number }[],
  measured: readonly { readonly name: string; readonly count: number }[],
): SplitLine[] {
  const names = [...new Set([...expected, ...measured].map(({ name }) => name))];
  const all = sum(measured, ({ count }) => count);
  const bound = Math.log(2 * Math.max(1, names.length) * falseMarks);
  const isKnown = expected.length > 0;
  return names.map((name): SplitLine => {
    const count = sum(measured, (line) => (line.name === name ? line.count : 0));
    const p = sum(expected, (line) => (line.name === name ? line.share : 0));
    const share = all === 0 ? undefined : count / all;
    const line = { name, expected: isKnown ? Math.min(1, p) : undefined, measured: count, share };
    if (share === undefined || !isKnown) return { ...line, verdict: 'unknown' };
    const limit = bound / all;
    const chance = { from: lowest(Math.min(1, p), limit), to: 1 - lowest(1 - Math.min(1, p), limit) };
    const verdict = share > chance.to ? 'more' : share < chance.from ? 'less' : 'within';
    return { ...line, chance, verdict };
  });
}

/** Kullback-Leibler divergence of two Bernoulli distributions. */
function divergence(q: number, p: number): number {
  return term(q, p) + term(1 - q, 1 - p);
}

function term(q: number, p: number): number {
  if (q === 0) return 0;
  return p === 0 ? Number.POSITIVE_INFINITY : q * Math.log(q / p);
}

/** Returns the smallest share whose divergence from `p` is within the limit. */
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
