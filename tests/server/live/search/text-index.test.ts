import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextIndex } from '@/server/live/search/text-index';

const all = { isWanted: () => true, most: 10_000, mostBytes: Number.POSITIVE_INFINITY };

function indexOf(texts: readonly string[]): TextIndex {
  const index = new TextIndex();
  for (const text of texts) index.add(0, text);
  return index;
}

describe('TextIndex', () => {
  it('stores each text of a kind once', () => {
    const index = new TextIndex();
    expect([index.add(0, 'cart'), index.add(1, 'cart'), index.add(0, 'cart'), index.add(0, 'Cart')]).toEqual([
      0, 1, 0, 2,
    ]);
    expect([index.find(1, 'cart'), index.find(0, 'Cart'), index.find(2, 'cart')]).toEqual([1, 2, undefined]);
    expect([index.textOf(2), index.kindOf(1)]).toEqual(['Cart', 1]);
  });

  it('finds every text that contains all words, and no other', () => {
    const name = fc.stringMatching(/^[a-cA-C.|:é-]{0,12}$/);
    fc.assert(
      fc.property(fc.array(name, { maxLength: 400 }), fc.array(name, { maxLength: 3 }), (names, words) => {
        const index = indexOf(names);
        const lower = words.map((word) => word.toLowerCase()).filter((word) => word !== '');
        const { ids, isComplete } = index.search({ ...all, words: lower });
        const expected = [...new Set(names)].filter((each) =>
          lower.every((word) => each.toLowerCase().includes(word)),
        );
        expect(ids.map((id) => index.textOf(id))).toEqual(expected);
        expect(isComplete).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('finds texts in thousands of blocks', () => {
    const names = Array.from({ length: 200_000 }, (_, at) => `svc-${at}.ns`);
    const index = indexOf(names);
    const found = (word: string) => index.search({ ...all, words: [word] }).ids.map((id) => index.textOf(id));
    expect(found('svc-131072.')).toEqual(['svc-131072.ns']);
    expect(found('c-19999')).toEqual(names.filter((each) => each.includes('c-19999')));
    expect(index.find(0, 'svc-199999.ns')).toBe(199_999);
  });

  it('states that a search ended early', () => {
    const index = indexOf(Array.from({ length: 1_000 }, (_, at) => `name-${at}`));
    expect(index.search({ ...all, words: ['name'], most: 10 })).toMatchObject({ isComplete: false });
    expect(index.search({ ...all, words: ['name'], most: 1_000 })).toMatchObject({ isComplete: true });
    expect(index.search({ ...all, words: ['name'], mostBytes: 1_500 }).isComplete).toBe(false);
    expect(index.search({ ...all, words: ['name-999'], most: 1 })).toEqual({ ids: [999], isComplete: true });
  });

  it('leaves out texts that are too long', () => {
    const index = new TextIndex();
    expect(index.add(0, 'a'.repeat(4_096))).toBe(0);
    expect(index.add(0, 'a'.repeat(4_097))).toBeUndefined();
    expect(index.add(0, 'é'.repeat(2_049))).toBeUndefined();
    expect(index.count).toBe(1);
  });
});
