import { expect, it } from 'vitest';
import { countSpins } from '@/lib/control-planes/count-spins';

const every = (ms: number, count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => from + at * ms);

it('counts periods of at least ten responses within ten seconds, and the responses of the largest', () => {
  expect(countSpins([])).toEqual({ count: 0, most: 0, lastAt: undefined });
  expect(countSpins(every(100, 9))).toEqual({ count: 0, most: 0, lastAt: undefined });
  expect(countSpins(every(1_000, 10))).toEqual({ count: 1, most: 10, lastAt: 9_000 });
  expect(countSpins(every(1_001, 50))).toEqual({ count: 0, most: 0, lastAt: undefined });
  expect(countSpins([...every(2, 887), ...every(100, 12, 60_000)])).toEqual({
    ...{ count: 2, most: 887, lastAt: 61_100 },
  });
});
