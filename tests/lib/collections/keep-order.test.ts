import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepOrder } from '@/lib/collections/keep-order';

const rows = (text: string) => [...text].map((id) => ({ id }));
const text = (kept: readonly { readonly id: string }[]) => kept.map(({ id }) => id).join('');

describe('keepOrder', () => {
  it.each([
    ['abcd', 'dcba', 'abcd', 'known ones keep their order'],
    ['abcd', 'xabcd', 'xabcd', 'a new one stays the first'],
    ['abcd', 'dxcyba', 'abcydx', 'new ones follow those before them'],
    ['abcd', 'dba', 'abd', 'one that is gone is left out'],
    ['', 'ba', 'ba', 'all are new'],
    ['abcd', '', '', 'none is left'],
  ])('%s, then %s: %s, as %s', (before, items, expected) => {
    expect(text(keepOrder(rows(before), rows(items)))).toBe(expected);
  });

  it('returns the same array if nothing is in another order', () => {
    const items = rows('xabz');
    expect(keepOrder(rows('abc'), items)).toBe(items);
  });

  it('returns the newest items, all of them, with the known ones in their order', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 2 }), { maxLength: 12 });
    const lists = ids.chain((all) =>
      fc.shuffledSubarray(all).chain((before) => fc.shuffledSubarray(all).map((items) => [before, items])),
    );
    fc.assert(
      fc.property(lists, ([before = [], ids = []]) => {
        const items = ids.map((id) => ({ id }));
        const kept = keepOrder(
          before.map((id) => ({ id })),
          items,
        );
        expect(new Set(kept)).toEqual(new Set(items));
        expect(kept).toHaveLength(items.length);
        const known = kept.map(({ id }) => id).filter((id) => before.includes(id));
        expect(known).toEqual(before.filter((id) => ids.includes(id)));
      }),
    );
  });
});
