import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { ContentSum } from '@/lib/views/client/content-sum';
import { buildCohorts } from '@/lib/views/fleet/build-cohorts';
import { buildFleetMember } from '@/lib/views/fleet/fleet-member';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { clientSummary, typeSummary } from '../../../support/builders/fleet-fixtures';
import '../../../support/seeded-properties';

const member = (nodeId: string, cds: string, lds = 'l', zone = 'a') =>
  buildFleetMember(
    clientSummary({
      nodeId,
      locality: { region: 'eu', zone, subZone: '' },
      types: [
        typeSummary({ content: cds, ...(cds === '' && { byState: {} }) }),
        typeSummary({ typeUrl: LDS.typeUrl, service: 'LDS', content: lds }),
      ],
    }),
    { metadata: {} },
  );
const fleet = [
  ...Array.from({ length: 20 }, (_, at) => member(`shop-${at}`, 'new')),
  member('late-1', 'old', 'l', 'c'),
  member('late-2', 'old', 'l', 'c'),
  member('odd-1', 'new', 'other', 'b'),
  member('none', ''),
];

describe('buildCohorts', () => {
  it('groups clients with identical config, the largest cohort first, with the types in which others differ', () => {
    const { cohorts, clients, without, types } = runSteps(
      buildCohorts(fleet, { typeUrl: undefined, most: 9 }),
    );
    expect(cohorts.map(({ members, differsIn }) => [members.length, ...differsIn])).toEqual([
      [20],
      [2, CDS.typeUrl],
      [1, LDS.typeUrl],
      [1, CDS.typeUrl],
    ]);
    expect([clients, without]).toEqual([24, 0]);
    expect(types).toEqual([
      { typeUrl: LDS.typeUrl, clients: 24, contents: 2 },
      { typeUrl: CDS.typeUrl, clients: 23, contents: 2 },
    ]);
    expect(cohorts[1]?.separators[0]).toMatchObject({ field: 'zone', value: 'c', inside: 2, outside: 0 });
  });

  it('explains neither a single client nor what is likely to be random', () => {
    const { cohorts } = runSteps(buildCohorts(fleet, { typeUrl: undefined, most: 9 }));
    expect(cohorts.map(({ members, separators }) => [members.length, separators.length > 0])).toEqual([
      [20, false],
      [2, true],
      [1, false],
      [1, false],
    ]);
    const small = [
      member('a', 'new'),
      member('b', 'new'),
      member('c', 'old', 'l', 'c'),
      member('d', 'old', 'l', 'c'),
    ];
    const { oddSeparators } = runSteps(buildCohorts(small, { typeUrl: undefined, most: 9 }));
    expect(oddSeparators).toEqual([]);
  });

  it('leaves out clients without resources of the type, and lists what all odd clients share', () => {
    const { cohorts, clients, without, oddSeparators } = runSteps(
      buildCohorts(fleet, { typeUrl: CDS.typeUrl, most: 9 }),
    );
    expect(cohorts.map(({ members, content }) => [members.length, content])).toEqual([
      [21, 'CDS:new'],
      [2, 'CDS:old'],
    ]);
    expect([clients, without]).toEqual([23, 1]);
    expect(oddSeparators[0]).toMatchObject({
      field: 'zone',
      value: 'c',
      inside: 2,
      insideOf: 2,
      outsideOf: 21,
    });
  });
});

describe('ContentSum', () => {
  const rows = fc.uniqueArray(fc.tuple(fc.string(), fc.option(fc.stringMatching(/^[0-9a-f]{0,64}$/))), {
    selector: ([name]) => name,
  });
  const sumOf = (all: readonly (readonly [string, string | null])[]): ContentSum => {
    const sum = new ContentSum();
    for (const [name, hash] of all) sum.count(name, hash);
    return sum;
  };

  it('does not depend on the order', () => {
    fc.assert(
      fc.property(rows, (all) => {
        expect(String(sumOf([...all].reverse()))).toBe(String(sumOf(all)));
      }),
    );
  });

  it('differs with another or an additional body', () => {
    fc.assert(
      fc.property(rows, fc.string(), (all, name) => {
        expect(String(sumOf([...all, [name, 'a']]))).not.toBe(String(sumOf(all)));
        expect(String(sumOf([...all, [name, 'a']]))).not.toBe(String(sumOf([...all, [name, 'b']])));
      }),
    );
  });
});
