import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { resourceKey } from '@/lib/observation/client-state';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildResourceView } from '@/lib/views/resources/build-resource-view';
import { parseResourceCursor } from '@/lib/views/resources/resource-cursor';
import { parseResourceFilter } from '@/lib/views/resources/resource-filter';
import { pageOfView } from '@/lib/views/resources/resource-page';
import type { ResourceQuestion } from '@/lib/views/resources/resource-question';
import type { ResourcePage } from '@/lib/views/resources/schema';
import { resourceSortColumns } from '@/lib/views/resources/sort-columns';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { clientStatuses } from '@/lib/xds/status';
import { resourceRow } from '../../../support/builders/resource-row';

const row: fc.Arbitrary<ResourceRow> = fc
  .record({
    typeUrl: fc.constantFrom(CDS.typeUrl, EDS.typeUrl, 'acme.Other'),
    // The cursor of any name is valid, even of half a surrogate pair.
    name: fc.constantFrom(
      'a',
      'b',
      'outbound|80|v1|cart.shop.svc.cluster.local',
      'shop-2',
      'shop-10',
      'ü',
      '\ud800',
      '',
      'x'.repeat(5_000),
    ),
    versionInfo: fc.constantFrom('', '1', '2', '10'),
    sizeBytes: fc.constantFrom(null, 1, 20),
    clientStatus: fc.constantFrom(...clientStatuses),
    changedAt: fc.constantFrom(1_767_323_045_000, 1_767_323_046_000),
  })
  .map((fields) => resourceRow(fields));
const rowsOfClient = fc
  .uniqueArray(row, { selector: resourceKey })
  .map((rows) => rows.sort(compareResourceKeys));
const question: fc.Arbitrary<ResourceQuestion> = fc.record({
  typeUrls: fc.constantFrom([], [], [CDS.typeUrl]),
  statuses: fc.constantFrom([], [], ['ACKED', 'NACKED'] as const),
  filter: fc.constantFrom('', '', 'shop', 'version=1', 'name!=a').map((text) => parseResourceFilter(text)),
  sort: fc.option(fc.record({ columnId: fc.constantFrom(...resourceSortColumns), descending: fc.boolean() })),
});

/** Reads at most `most` pages, one after the other. */
function listPages(
  rows: readonly ResourceRow[],
  asked: ResourceQuestion,
  limit: number,
  most = Number.POSITIVE_INFINITY,
): ResourcePage[] {
  const view = runSteps(buildResourceView(rows, asked));
  const pages: ResourcePage[] = [];
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? undefined : parseResourceCursor(cursor, asked.sort);
    if (cursor !== undefined) expect(after).toBeDefined();
    const page = pageOfView(view, asked.sort, { after, limit });
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined && pages.length < most);
  return pages;
}

const itemsOf = (pages: readonly ResourcePage[]) => pages.flatMap(({ items }) => items);

describe('pageOfView()', () => {
  it('returns each row once, in order, whatever the page size', () => {
    fc.assert(
      fc.property(rowsOfClient, question, fc.integer({ min: 1, max: 5 }), (rows, asked, limit) => {
        const pages = listPages(rows, asked, limit);
        expect(itemsOf(pages)).toEqual(runSteps(buildResourceView(rows, asked)).rows);
        expect(pages.slice(0, -1).every(({ items }) => items.length === limit)).toBe(true);
      }),
    );
  });

  it('continues after the last row although rows changed', () => {
    const rows = ['a', 'c', 'e'].map((name) => resourceRow({ name }));
    const asked = {
      typeUrls: [],
      statuses: [],
      filter: parseResourceFilter(''),
      sort: { columnId: 'name', descending: true },
    } as const;
    const [first] = listPages(rows, asked, 2, 1);
    const now = ['a', 'b', 'd', 'f'].map((name) => resourceRow({ name }));
    const after = parseResourceCursor(first?.nextCursor ?? '', asked.sort);
    const next = pageOfView(runSteps(buildResourceView(now, asked)), asked.sort, { after, limit: 9 });
    expect(next.items.map(({ name }) => name)).toEqual(['b', 'a']);
  });
});

describe('parseResourceCursor()', () => {
  it('rejects invalid cursors, and those of another order', () => {
    const rows = ['a', 'b'].map((name) => resourceRow({ name }));
    const sort = { columnId: 'name', descending: false } as const;
    const [page] = listPages(
      rows,
      { typeUrls: [], statuses: [], filter: parseResourceFilter(''), sort },
      1,
      1,
    );
    expect(parseResourceCursor(page?.nextCursor ?? '', sort)).toMatchObject({ kind: 'place' });
    expect(parseResourceCursor(page?.nextCursor ?? '', null)).toBeUndefined();
    for (const text of ['', '%', 'abc', btoa('[]'), btoa('["name",-1]'), btoa('["name",{},"a","b"]')]) {
      expect(parseResourceCursor(text, sort)).toBeUndefined();
    }
  });
});
