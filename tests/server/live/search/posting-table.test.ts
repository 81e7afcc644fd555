import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PostingTable } from '@/server/live/search/posting-table';

const key = (text: number, owner: number) => `${text} ${owner}`;

it('PostingTable has the same postings as a map after any changes', () => {
  const small = fc.nat({ max: 12 });
  const change = fc.oneof(
    fc.record({ kind: fc.constant('set' as const), text: small, owner: small, mark: small, tag: small }),
    fc.record({ kind: fc.constant('remove' as const), text: small, owner: small }),
    fc.record({ kind: fc.constant('owners' as const), owners: fc.uniqueArray(small, { maxLength: 3 }) }),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const table = new PostingTable();
      const expected = new Map<string, { text: number; owner: number; mark: number; tag: number }>();
      for (const each of changes) {
        if (each.kind === 'set') {
          table.set(each.text, each);
          const { text, owner, mark, tag } = each;
          expected.set(key(text, owner), { text, owner, mark, tag });
        } else if (each.kind === 'remove') {
          table.remove(each.text, each.owner);
          expected.delete(key(each.text, each.owner));
        } else {
          table.removeOwners(new Set(each.owners));
          for (const [id, { owner }] of expected) if (each.owners.includes(owner)) expected.delete(id);
        }
      }
      const found = Array.from({ length: 13 }, (_, text) =>
        [...table.postingsOf(text)].map((posting) => ({ text, ...posting })),
      ).flat();
      const sorted = (list: typeof found) =>
        list.map((each) => JSON.stringify(each, ['text', 'owner', 'mark', 'tag'])).sort();
      expect(sorted(found)).toEqual(sorted([...expected.values()]));
      expect(table.count).toBe(expected.size);
      for (let text = 0; text < 13; text++) {
        expect(table.countOf(text)).toBe([...expected.values()].filter((each) => each.text === text).length);
      }
      const tagged = [...expected.values()].filter(({ tag }) => tag === 3).map(({ text }) => text);
      const byTag = table.textsByTag([0], (tag) => tag === 3);
      expect(byTag.get(3) ?? new Set()).toEqual(new Set(tagged));
      expect(table.textsByTag([1], (tag) => tag === 3).size).toBe(0);
      const marked = [...expected.values()].filter(({ mark }) => mark === 5).map(({ text }) => text);
      const marks = Uint8Array.from({ length: 256 }, (_, mark) => Number(mark === 5));
      expect(table.textsWithMark(marks)).toEqual(new Set(marked));
    }),
    { numRuns: 300 },
  );
});

it('PostingTable gives up the space of removed postings', () => {
  const table = new PostingTable();
  for (let round = 0; round < 20; round++) {
    for (let owner = 0; owner < 20_000; owner++) table.set(owner % 7, { owner, mark: 1, tag: owner });
    table.removeOwners(new Set(Array.from({ length: 20_000 }, (_, owner) => owner)));
  }
  expect(table.count).toBe(0);
  expect(table.bytes).toBeLessThan(4_000_000);
});
