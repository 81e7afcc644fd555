import { sum } from 'd3';

interface Split {
  readonly expected: readonly { readonly name: string; readonly share: number }[];
  readonly counts: readonly { readonly name: string; readonly count: number }[];
}

/**
 * Adds up splits of several times. The expected share of a line is the mean of its shares, weighted by the requests of each
 * time. Splits with requests but without an expected share are left out.
 */
export function sumSplits(splits: readonly Split[]): Split {
  const sizeOf = ({ counts }: Split) => sum(counts, ({ count }) => count);
  const usable = splits.filter(({ expected }) => expected.length > 0);
  const all = sum(usable, sizeOf);
  // If there are no requests, the newest split is expected.
  if (all === 0)
    return { expected: usable.at(-1)?.expected ?? [], counts: splits.flatMap(({ counts }) => counts) };
  const expected = new Map<string, number>();
  for (const split of usable) {
    const weight = sizeOf(split) / all;
    for (const { name, share } of split.expected) {
      expected.set(name, (expected.get(name) ?? 0) + share * weight);
    }
  }
  return {
    expected: [...expected].map(([name, share]) => ({ name, share })),
    counts: usable.flatMap(({ counts }) => counts),
  };
}
