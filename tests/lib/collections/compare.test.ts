import { expect, it } from 'vitest';
import { ascending, by, byDescending, inTurn } from '@/lib/collections/compare';
import { compareNames } from '@/lib/format/compare-names';

const items = [
  { name: 'route-10', rank: 1 },
  { name: 'route-2', rank: 1 },
  { name: 'route-1', rank: 2 },
];
const namesOf = (sorted: typeof items) => sorted.map(({ name }) => name);

it('compares by a key, in both directions', () => {
  expect(namesOf(items.toSorted(by(({ name }) => name)))).toEqual(['route-1', 'route-10', 'route-2']);
  expect(namesOf(items.toSorted(byDescending(({ rank }) => rank)))[0]).toBe('route-1');
  expect([true, false].toSorted(ascending)).toEqual([false, true]);
  expect([Infinity, -Infinity, Infinity].toSorted(ascending)).toEqual([-Infinity, Infinity, Infinity]);
});

it('compares keys in an order of their own, and by the next comparison if they are equal', () => {
  const sorted = items.toSorted(
    inTurn(
      by(({ rank }) => rank),
      by(({ name }) => name, compareNames),
    ),
  );
  expect(namesOf(sorted)).toEqual(['route-2', 'route-10', 'route-1']);
});
