import { expect, it } from 'vitest';
import { SpinCounter } from '@/lib/control-planes/spin-counter';

const every = (ms: number, count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => from + at * ms);

function countSpins(times: readonly number[], responses = 1) {
  const counter = new SpinCounter();
  for (const at of times) counter.add(at, responses);
  const { count, most, lastAt } = counter;
  return { count, most, lastAt };
}

it('counts periods of at least ten responses within ten seconds, and the responses of the largest', () => {
  expect(countSpins([])).toEqual({ count: 0, most: 0, lastAt: undefined });
  expect(countSpins(every(100, 9))).toEqual({ count: 0, most: 0, lastAt: undefined });
  expect(countSpins(every(1_000, 10))).toEqual({ count: 1, most: 10, lastAt: 9_000 });
  expect(countSpins(every(1_001, 50))).toEqual({ count: 0, most: 0, lastAt: undefined });
  expect(countSpins([...every(2, 887), ...every(100, 12, 60_000)])).toEqual({
    ...{ count: 2, most: 887, lastAt: 61_100 },
  });
});

it('follows a spin of any length, and responses that are recorded together', () => {
  expect(countSpins(every(900, 20_000))).toEqual({ count: 1, most: 20_000, lastAt: 19_999 * 900 });
  expect(countSpins([5, 905], 400)).toEqual({ count: 1, most: 800, lastAt: 905 });
  expect(countSpins([5, 6], 0)).toEqual({ count: 0, most: 0, lastAt: undefined });
});
