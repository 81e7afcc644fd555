import { expect, it } from 'vitest';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';

it('compareResourceKeys orders by type, unknown types last, then by name with numbers in numeric order', () => {
  const unknown = 'type.googleapis.com/acme.Thing';
  const keys = [
    { typeUrl: unknown, name: 'a' },
    { typeUrl: EDS.typeUrl, name: 'a' },
    { typeUrl: CDS.typeUrl, name: 'c10' },
    { typeUrl: CDS.typeUrl, name: 'c2' },
    { typeUrl: LDS.typeUrl, name: 'z' },
  ];
  expect(
    keys.sort(compareResourceKeys).map(({ typeUrl, name }) => `${typeUrl.split('.').at(-1)} ${name}`),
  ).toEqual(['Listener z', 'Cluster c2', 'Cluster c10', 'ClusterLoadAssignment a', 'Thing a']);
});
