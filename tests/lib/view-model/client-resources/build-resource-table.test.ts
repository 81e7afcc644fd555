import { expect, test } from 'vitest';
import {
  buildResourceTable,
  type ResourceTableQuery,
} from '@/lib/view-model/client-resources/build-resource-table';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { resourceRow } from '../../../support/view-model-resource-row';

const everything: ResourceTableQuery = { typeUrls: [], statuses: [], text: '' };

const rows = [
  resourceRow({ typeUrl: EDS.typeUrl, name: 'cart', sizeBytes: 10, versionInfo: 'v10' }),
  resourceRow({
    typeUrl: CDS.typeUrl,
    name: 'pay',
    clientStatus: 'NACKED',
    hash: null,
    sizeBytes: null,
    versionInfo: 'v9',
    errorState: {
      details: 'lbPolicy CLUSTER_PROVIDED',
      versionInfo: 'v11',
      lastUpdateAttempt: null,
      failedHash: null,
    },
  }),
  resourceRow({ typeUrl: 'type.googleapis.com/acme.Thing', name: 'a', sizeBytes: 30, versionInfo: 'v2' }),
  resourceRow({ typeUrl: CDS.typeUrl, name: 'cart', sizeBytes: 20, versionInfo: 'v1' }),
  resourceRow({ typeUrl: LDS.typeUrl, name: 'shop', clientStatus: 'DOES_NOT_EXIST', lastUpdated: null }),
];
const names = (query: Partial<ResourceTableQuery>) =>
  buildResourceTable(rows, { ...everything, ...query }).rows.map((row) => `${row.service}/${row.name}`);

test('buildResourceTable keeps the fixed order of types, then names', () => {
  expect(names({})).toEqual(['LDS/shop', 'CDS/cart', 'CDS/pay', 'EDS/cart', '/a']);
});

test('buildResourceTable counts as people do: shop-2 comes before shop-10', () => {
  const shops = ['shop-10', 'shop-2', 'shop-1'].map((name) => resourceRow({ name }));
  expect(buildResourceTable(shops, everything).rows.map(({ name }) => name)).toEqual([
    'shop-1',
    'shop-2',
    'shop-10',
  ]);
});

test('buildResourceTable filters by type, status and words together', () => {
  expect(names({ typeUrls: [CDS.typeUrl] })).toEqual(['CDS/cart', 'CDS/pay']);
  expect(names({ typeUrls: ['envoy.config.cluster.v3.Cluster'] })).toEqual(['CDS/cart', 'CDS/pay']);
  expect(names({ typeUrls: [CDS.typeUrl, EDS.typeUrl], text: 'CART' })).toEqual(['CDS/cart', 'EDS/cart']);
  expect(names({ statuses: ['NACKED'], text: 'cluster_provided v11' })).toEqual(['CDS/pay']);
  expect(names({ statuses: ['NACKED'], text: 'cart' })).toEqual([]);
});

test('buildResourceTable counts each chip under the other filters only', () => {
  const table = buildResourceTable(rows, {
    ...everything,
    typeUrls: [CDS.typeUrl],
    statuses: ['NACKED'],
  });
  expect(table.total).toBe(5);
  expect(table.typeChips.map((chip) => [chip.label, chip.count, chip.selected])).toEqual([
    ['LDS', 0, false],
    ['CDS', 1, true],
    ['EDS', 0, false],
    ['Thing', 0, false],
  ]);
  expect(table.statusChips).toEqual([
    { status: 'NACKED', count: 1, selected: true },
    { status: 'DOES_NOT_EXIST', count: 0, selected: false },
    { status: 'ACKED', count: 1, selected: false },
  ]);
});

test('buildResourceTable keeps the chip of a selected filter that nothing answers to', () => {
  const table = buildResourceTable([], { ...everything, typeUrls: [EDS.typeUrl], statuses: ['TIMEOUT'] });
  expect(table.typeChips).toEqual([{ typeUrl: EDS.typeUrl, label: 'EDS', count: 0, selected: true }]);
  expect(table.statusChips).toEqual([{ status: 'TIMEOUT', count: 0, selected: true }]);
});

test('buildResourceTable leaves its input as it was', () => {
  const before = [...rows];
  buildResourceTable(rows, everything);
  expect(rows).toEqual(before);
});
