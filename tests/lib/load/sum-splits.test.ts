import { describe, expect, it } from 'vitest';
import { sumSplits } from '@/lib/load/sum-splits';

const line = (a: number, b: number) => [
  { name: 'a', share: a },
  { name: 'b', share: b },
];
const counts = (a: number, b: number) => [
  { name: 'a', count: a },
  { name: 'b', count: b },
];

describe('sumSplits', () => {
  it('weights the expected shares by the requests of each time', () => {
    const { expected, counts: all } = sumSplits([
      { expected: line(0.2, 0.8), counts: counts(25, 75) },
      { expected: line(0.5, 0.5), counts: counts(150, 150) },
    ]);
    expect(expected).toEqual(line(0.425, 0.575));
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(400);
  });

  it('leaves out requests for which no split is expected', () => {
    const { counts: all } = sumSplits([
      { expected: [], counts: counts(1, 1) },
      { expected: line(0.5, 0.5), counts: counts(2, 2) },
    ]);
    expect(all).toEqual(counts(2, 2));
  });

  it('without requests expects the newest split', () => {
    const splits = [
      { expected: line(0.2, 0.8), counts: [] },
      { expected: line(0.5, 0.5), counts: [] },
    ];
    expect(sumSplits(splits)).toEqual({ expected: line(0.5, 0.5), counts: [] });
  });

  it('of requests alone has no expected share', () => {
    expect(sumSplits([{ expected: [], counts: counts(1, 2) }])).toEqual({
      expected: [],
      counts: counts(1, 2),
    });
  });
});
