import { describe, expect, it } from 'vitest';
import { joinTears, tearsListedFrom } from '@/lib/views/resolved/join-tears';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import { CDS } from '@/lib/xds/resource-type';

const second = (at: number): number => at * 1_000;

function tear(name: string, from: number, to: number | undefined): Tears['items'][number] {
  const felt = { outcome: 'nothing', durationMs: 0, text: '' } as const;
  return {
    kind: 'cluster-removed-in-use',
    fromAt: second(from),
    toAt: to === undefined ? undefined : second(to),
    durationMs: ((to ?? 20) - from) * 1_000,
    resources: [{ typeUrl: CDS.typeUrl, name, service: 'CDS' }],
    rejection: '',
    preA74: felt,
    a74: felt,
  };
}

function part(from: number, to: number, items: Tears['items'], reported: Partial<Tears> = {}): Tears {
  return {
    ...{ clientId: 'c', profile: 'node-1.14', isCut: false, hasOlder: true },
    ...{ from: second(0), to: second(to), reportedTo: second(to), beginsAt: second(from) },
    ...{ total: items.length, items },
    ...reported,
  };
}

describe('joinTears', () => {
  it('joins two time ranges, and a tear that lasts across them is one', () => {
    const older = part(10, 20, [tear('a', 12, 13), tear('b', 15, undefined)], { hasOlder: false });
    const newer = part(20, 40, [tear('b', 20, 25), tear('c', 20, 21), tear('a', 30, undefined)]);
    const joined = joinTears(older, newer);
    expect(joined).toMatchObject({ beginsAt: second(10), to: second(40), hasOlder: false, total: 4 });
    expect(joined.items.map(({ resources: [of], fromAt, toAt }) => [of?.name, fromAt, toAt])).toEqual([
      ['a', second(12), second(13)],
      ['b', second(15), second(25)],
      ['c', second(20), second(21)],
      ['a', second(30), undefined],
    ]);
    expect(joined.items[1]?.durationMs).toBe(10_000);
  });
});

describe('tearsListedFrom', () => {
  it('is the start of the range, the first listed tear, or undefined if all are listed', () => {
    const items = [tear('a', 12, 13)];
    expect(tearsListedFrom(part(10, 20, items))).toBe(second(10));
    expect(tearsListedFrom(part(10, 20, items, { total: 501 }))).toBe(second(12));
    expect(tearsListedFrom(part(10, 20, items, { hasOlder: false }))).toBeUndefined();
  });
});
