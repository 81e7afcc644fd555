import { expect, it } from 'vitest';
import { propagationQuery } from '@/lib/views/propagation/schema';
import { CDS } from '@/lib/xds/resource-type';
import { numberPropagationRows, pagePropagation } from '@/server/live/propagation/propagation-page';

const mismatch = { from: 'controlPlane', to: 'client', kind: 'content', finding: '', text: '' } as const;
const rows = [
  { name: 'new', firstMismatch: { ...mismatch, since: 90_000 } },
  { name: 'old', firstMismatch: { ...mismatch, since: 10_000 } },
  { name: 'other node', firstMismatch: { ...mismatch, since: 10_000, isOfOtherNode: true as const } },
  { name: 'same', firstMismatch: undefined },
];

function pageOf(query: Record<string, string>) {
  const comparison = numberPropagationRows(rows, {
    factsOf: ({ name, firstMismatch }) => ({
      typeUrl: CDS.typeUrl,
      name,
      mismatch: firstMismatch,
      compared: 2,
    }),
    rowOf: (row) => ({ ...row, typeUrl: CDS.typeUrl, service: 'CDS', states: {}, compared: 2, changedAt: 0 }),
  });
  const { counts, items } = pagePropagation(
    { sources: {}, ...comparison },
    propagationQuery.parse(query),
    100_000,
  );
  return { counts, items: items.map(({ name, firstMismatch }) => [name, firstMismatch?.isBehind]) };
}

it('counts what changed within the last polls as behind, what another node is sent apart, and lists both among all', () => {
  expect(pageOf({})).toEqual({
    counts: { resources: 4, agree: 1, differ: 1, behind: 1, otherNode: 1, alone: 0 },
    items: [
      ['new', true],
      ['old', undefined],
      ['other node', undefined],
      ['same', undefined],
    ],
  });
});

it('lists neither among the differences', () => {
  expect(pageOf({ only: 'differs' }).items).toEqual([['old', undefined]]);
});
