import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addExactSums, type ExactSum, exactSumOf, numberOfExactSum, zeroSum } from '@/lib/load/exact-sum';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const sumOf = (values: readonly number[]): ExactSum =>
  values.reduce((sum, value) => addExactSums(sum, exactSumOf(value)), zeroSum);

describe('ExactSum', () => {
  test('of one double is that double', () => {
    fc.assert(fc.property(finite, (value) => numberOfExactSum(exactSumOf(value)) === value));
    for (const value of [0, 5e-324, -5e-324, 2.2250738585072014e-308, Number.MAX_VALUE, 0.1, 2 ** 53, -1]) {
      expect(numberOfExactSum(exactSumOf(value))).toBe(value);
    }
  });

  test('does not depend on the order, nor on what was added up before', () => {
    fc.assert(
      fc.property(fc.array(finite, { maxLength: 20 }), fc.integer({ min: 0, max: 20 }), (values, at) => {
        const backwards = sumOf([...values].reverse());
        const inTwo = addExactSums(sumOf(values.slice(0, at)), sumOf(values.slice(at)));
        expect(backwards).toEqual(sumOf(values));
        expect(inTwo).toEqual(sumOf(values));
      }),
    );
  });

  test.each([
    { values: [1e308, 1e308, -1e308], expected: 1e308 },
    { values: [1e16, 1, -1e16], expected: 1 },
    { values: Array.from({ length: 10 }, () => 0.1), expected: 1 },
    { values: [0.1, 0.2], expected: 0.30000000000000004 },
    { values: [1, 2 ** -53, 2 ** -200], expected: 1 + 2 ** -52 },
    { values: [Number.MAX_VALUE, Number.MAX_VALUE], expected: Number.POSITIVE_INFINITY },
  ])('of $values rounds once, to $expected', ({ values, expected }) => {
    expect(numberOfExactSum(sumOf(values))).toBe(expected);
  });
});
