import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyTextSearch } from '@/server/codec/key-text-search';

const mark = 'PRIVATE KEY-----';

describe('KeyTextSearch', () => {
  test('finds a key in exactly the pieces that have one, in any order of calls', () => {
    const piece = fc.oneof(
      fc.constantFrom(mark, mark.slice(0, 9), mark.slice(9), ''),
      fc.nat({ max: 600 }).map((length) => 'x'.repeat(length)),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.tuple(fc.nat(), fc.nat())),
        (pieces, asked) => {
          const bytes = Uint8Array.from(Buffer.from(pieces.join('')));
          const search = new KeyTextSearch();
          let end = 0;
          const inOrder = pieces.map((each): [number, number] => {
            const start = end;
            end += each.length;
            return [start, end];
          });
          const anywhere = asked.map(([a, b]) => [a % (end + 1), b % (end + 1)].sort((x, y) => x - y));
          for (const [from = 0, to = 0] of [...inOrder, ...anywhere]) {
            const view = bytes.subarray(from, to);
            expect(search.mayHold(view)).toBe(Buffer.from(view).includes(mark));
          }
        },
      ),
    );
  });

  test('does not apply the result for one buffer to another', () => {
    const search = new KeyTextSearch();
    expect(search.mayHold(new Uint8Array(mark.length))).toBe(false);
    expect(search.mayHold(Uint8Array.from(Buffer.from(mark)))).toBe(true);
  });
});
