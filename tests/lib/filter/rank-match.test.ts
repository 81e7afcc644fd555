import { expect, it } from 'vitest';
import { rankMatch } from '@/lib/filter/rank-match';

it.each([
  ['payment-v1', 'payment-v1', 0],
  ['outbound|80||payment-v1.shop', 'payment-v1', 1],
  ['payment-v10 payment-v1', 'payment-v1', 1],
  ['payment-v10', 'payment-v1', 2],
  ['a-payment-v10', 'payment-v1', 3],
  ['prepayment', 'payment', 4],
])('rankMatch(%s, %s) is %s', (name, word, rank) => {
  expect(rankMatch(name, word)).toBe(rank);
});
