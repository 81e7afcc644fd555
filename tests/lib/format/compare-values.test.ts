import { expect, test } from 'vitest';
import { compareValues } from '@/lib/format/compare-values';

test.each([
  ['numbers by size', [10, -1, 2], [-1, 2, 10]],
  ['texts as names', ['shop-10', 'shop-2', 'Shop-3'], ['Shop-3', 'shop-2', 'shop-10']],
  ['a number beside a text as its digits', ['b', 10, 9], [9, 10, 'b']],
])('a sortable column orders %s, in the browser and on the server alike', (_what, given, ordered) => {
  expect([...given].sort(compareValues)).toEqual(ordered);
});
