import { expect, test } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import { buildResourceChips } from '@/lib/views/resources/build-resource-chips';
import { buildResourceView } from '@/lib/views/resources/build-resource-view';
import { parseResourceFilter } from '@/lib/views/resources/resource-filter';
import type { ResourceQuestion } from '@/lib/views/resources/resource-question';
import type { ResourceSortColumn } from '@/lib/views/resources/sort-columns';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { resourceRow } from '../../../support/builders/resource-row';

const everything: ResourceQuestion = {
  typeUrls: [],
  statuses: [],
  filter: parseResourceFilter(''),
  sort: null,
};

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
/** Rows in the order of buildResourceRows(). */
const inOrder = [...rows].sort(compareResourceKeys);
const view = (question: Partial<ResourceQuestion>, of = inOrder) =>
  runSteps(buildResourceView(of, { ...everything, ...question }));
const names = (question: Partial<ResourceQuestion>) =>
  view(question).rows.map((row) => `${row.service}/${row.name}`);

test('buildResourceView keeps the fixed order of types, then names', () => {
  expect(names({})).toEqual(['LDS/shop', 'CDS/cart', 'CDS/pay', 'EDS/cart', '/a']);
});

test('buildResourceView sorts by a column, equal ones in the fixed order and unknown ones last, either way', () => {
  const by = (columnId: ResourceSortColumn, descending = false) => names({ sort: { columnId, descending } });
  expect(by('size')).toEqual(['EDS/cart', 'CDS/cart', '/a', 'LDS/shop', 'CDS/pay']);
  expect(by('size', true)).toEqual(['LDS/shop', '/a', 'CDS/cart', 'EDS/cart', 'CDS/pay']);
  expect(by('status')).toEqual(['CDS/pay', 'LDS/shop', 'CDS/cart', 'EDS/cart', '/a']);
  expect(by('name', true)).toEqual(['LDS/shop', 'CDS/pay', 'CDS/cart', 'EDS/cart', '/a']);
  expect(by('version').slice(1)).toEqual(['CDS/cart', '/a', 'CDS/pay', 'EDS/cart']);
});

test('buildResourceView filters by type, status, name and words together', () => {
  expect(names({ typeUrls: [CDS.typeUrl] })).toEqual(['CDS/cart', 'CDS/pay']);
  expect(names({ typeUrls: ['envoy.config.cluster.v3.Cluster'] })).toEqual(['CDS/cart', 'CDS/pay']);
  expect(names({ typeUrls: [CDS.typeUrl, EDS.typeUrl], filter: parseResourceFilter('CART') })).toEqual([
    'CDS/cart',
    'EDS/cart',
  ]);
  expect(names({ statuses: ['NACKED'], filter: parseResourceFilter('cluster_provided v11') })).toEqual([
    'CDS/pay',
  ]);
  expect(names({ statuses: ['NACKED'], filter: parseResourceFilter('cart') })).toEqual([]);
  expect(names({ name: 'cart', typeUrls: [EDS.typeUrl] })).toEqual(['EDS/cart']);
  expect(names({ name: 'car' })).toEqual([]);
});

test('buildResourceView counts documents that a process reports about itself apart', () => {
  const info = resourceRow({
    typeUrl: 'type.googleapis.com/envoy.admin.v3.ServerInfo',
    name: 'info',
    state: null,
  });
  const all = [...inOrder, info];
  expect(view({}, all)).toMatchObject({ total: 6, matched: 6, documents: { total: 1, matched: 1 } });
  expect(view({ filter: parseResourceFilter('cart') }, all)).toMatchObject({
    total: 6,
    documents: { total: 1, matched: 0 },
  });
  expect(view({})).not.toHaveProperty('documents');
});

test('buildResourceView counts each chip under the other filters only', () => {
  const filter = { typeUrls: [CDS.typeUrl], statuses: ['NACKED'] } as const;
  const found = view(filter);
  expect([found.total, found.matched]).toEqual([5, 1]);
  const chips = buildResourceChips(found, filter);
  expect(chips.types.map((chip) => [chip.label, chip.count, chip.selected])).toEqual([
    ['LDS', 0, false],
    ['CDS', 1, true],
    ['EDS', 0, false],
    ['Thing', 0, false],
  ]);
  expect(chips.statuses).toEqual([
    { status: 'NACKED', count: 1, selected: true },
    { status: 'DOES_NOT_EXIST', count: 0, selected: false },
    { status: 'ACKED', count: 1, selected: false },
  ]);
});

test('buildResourceView lists a selected filter without rows', () => {
  const found = view({ typeUrls: [EDS.typeUrl], statuses: ['TIMEOUT'] }, []);
  expect(found.types).toEqual([{ typeUrl: EDS.typeUrl, service: 'EDS', count: 0 }]);
  expect(found.statuses).toEqual([{ status: 'TIMEOUT', count: 0 }]);
});
