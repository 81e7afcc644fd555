import { describe, expect, test } from 'vitest';
import { compareSplit } from '@/lib/load/compare-split';

const split = (shares: number[], counts: number[]) =>
  compareSplit(
    shares.map((share, index) => ({ name: `l${index}`, share })),
    counts.map((count, index) => ({ name: `l${index}`, count })),
  );
const verdicts = (shares: number[], counts: number[]) => split(shares, counts).map(({ verdict }) => verdict);

describe('compareSplit', () => {
  test.each([
    { shares: [0.2, 0.8], counts: [200, 800], expected: ['within', 'within'] },
    { shares: [0.2, 0.8], counts: [230, 770], expected: ['within', 'within'] },
    { shares: [0.2, 0.8], counts: [300, 700], expected: ['more', 'less'] },
    // A few requests prove no deviation.
    { shares: [0.2, 0.8], counts: [3, 7], expected: ['within', 'within'] },
    { shares: [0.5, 0.5], counts: [4, 0], expected: ['within', 'within'] },
    { shares: [0.5, 0.5], counts: [40, 0], expected: ['more', 'less'] },
    // A share of 0 allows no request.
    { shares: [1, 0], counts: [999, 1], expected: ['less', 'more'] },
    { shares: [1, 0], counts: [1000, 0], expected: ['within', 'within'] },
    { shares: [], counts: [10], expected: ['unknown'] },
    { shares: [1], counts: [0], expected: ['unknown'] },
  ])('$counts of $shares is $expected', ({ shares, counts, expected }) => {
    expect(verdicts(shares, counts)).toEqual(expected);
  });

  test('an unexpected locality has more than expected', () => {
    const lines = compareSplit([{ name: 'a', share: 1 }], [{ name: 'b', count: 5 }]);
    expect(lines.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['a', 'less'],
      ['b', 'more'],
    ]);
  });

  test('tolerates smaller deviations with more measurements', () => {
    const widths = [10, 100, 1_000, 10_000].map((n) => {
      const chance = split([0.3, 0.7], [0.3 * n, 0.7 * n])[0]?.chance;
      if (!chance) throw new Error('expected a range');
      expect(chance.from).toBeLessThan(0.3);
      expect(chance.to).toBeGreaterThan(0.3);
      return chance.to - chance.from;
    });
    expect(widths).toEqual([...widths].sort((a, b) => b - a));
  });

  test('marks deviations with a chance below one in a thousand', () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31;
    };
    let marks = 0;
    for (let trial = 0; trial < 2_000; trial++) {
      const counts = [0, 0, 0];
      for (let request = 0; request < 200; request++) {
        const at = random();
        const line = at < 0.1 ? 0 : at < 0.4 ? 1 : 2;
        counts[line] = (counts[line] ?? 0) + 1;
      }
      if (verdicts([0.1, 0.3, 0.6], counts).some((verdict) => verdict !== 'within')) marks += 1;
    }
    expect(marks).toBeLessThanOrEqual(2);
  });
});
