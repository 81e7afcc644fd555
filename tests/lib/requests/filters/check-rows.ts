import { describe, expect, it } from 'vitest';
import type { EvaluateFilter } from '@/lib/requests/filters/filter-decision';
import { type FilterCase, resultOf } from './filter-requests';

type Row = readonly [of: FilterCase, expected: string];
type Group = readonly [sentence: string, rows: readonly Row[]];

/** Tests that a filter treats the request of each row as the sentence of the documentation states. */
export function check(title: string, evaluate: EvaluateFilter, groups: readonly Group[]): void {
  describe(title, () => {
    for (const [sentence, rows] of groups)
      it.each(rows)(`${sentence}: %j`, (of, expected) => {
        expect(resultOf(evaluate, of)).toBe(expected);
      });
  });
}

export const preflight = {
  line: 'OPTIONS shop.example/cart',
  headers: ['origin: http://a.example', 'access-control-request-method: PUT'],
};
