import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ascending, by, byDescending, inTurn } from '@/lib/collections/compare';
import { compareNames, nameKey } from '@/lib/format/compare-names';

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

it('sorts the bytes of the keys of names as the names', () => {
  const part = fc.constantFrom(
    '0',
    '1',
    '9',
    '10',
    '99',
    '100',
    '123456789',
    '1234567890',
    '007',
    'a',
    'b',
    '-',
    '.',
    'é',
    '',
  );
  const name = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
  const sign = (order: number) => Math.sign(order);
  fc.assert(
    fc.property(name, name, (a, b) => {
      const order = Buffer.compare(Buffer.from(nameKey(a)), Buffer.from(nameKey(b)));
      expect([a, b, sign(order)]).toEqual([a, b, sign(compareNames(a, b))]);
    }),
  );
  const shown = ['sidecar~10.1.0.1~cart-10.shop~x', 'cart-9.shop~x', 'outbound|80||cart-11.shop'];
  const byKey = shown.toSorted((a, b) => Buffer.compare(Buffer.from(nameKey(a)), Buffer.from(nameKey(b))));
  expect(byKey).toEqual(shown.toSorted(compareNames));
});
