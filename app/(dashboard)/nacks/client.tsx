'use client';

import { useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useCallback, useDeferredValue, useState } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { buildNackColumns, buildNarrowNackColumns } from '@/app/_views/nacks/nack-columns';
import { NackFilters } from '@/app/_views/nacks/nack-filters';
import { nackLimit, nackSearchParams, toNackParams } from '@/app/_views/nacks/search-params';
import { formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import { everything, isSameRange } from '@/lib/time/time-range';
import type { NackGroupRow, NackPage } from '@/lib/views/nacks/schema';
import type { EpochMs } from '@/lib/xds/units';
import { Button } from '../../_components/button';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { nackHref } from '../../_components/nack-href';
import { QueryContent } from '../../_components/query-content';
import { PageBody, PageTable } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { useLiveStream } from '../../_stream/use-live-stream';

const columns = buildNackColumns();
const narrowColumns = buildNarrowNackColumns();
const rowId = (group: NackGroupRow) => group.id;

export function NacksPage() {
  const timeZone = useTimeZone();
  useLiveStream('nacks');
  const [params, setParams] = useQueryStates(nackSearchParams, { history: 'replace', throttleMs: 200 });
  const { range, extent } = useTimeRange();
  const asked = useDeferredValue(params);
  const [limit, setLimit] = useState(nackLimit);
  const { data: page, error, refetch } = useQuestion('nacks', { ...toNackParams(asked, extent), limit });
  const isNarrow = useIsNarrow();
  const router = useRouter();
  const open = useCallback((group: NackGroupRow) => router.push(nackHref(group.id)), [router]);

  const isFiltered = Object.keys(toNackParams(params, { from: '', to: '' })).length > 0;

  return (
    <PageBody fills>
      <PageHead
        title="NACKs"
        vantage="NACKs seen on the wire or in CSDS, grouped by error"
        age={findNewestAt(page, isFiltered || page?.restoring === true)}
        partial={page === undefined ? '' : partialText(page, timeZone)}
      />
      <NackFilters params={params} page={page} onChange={(next) => void setParams(next)} />
      <PageTable label="NACKs">
        <QueryContent query={{ data: page, error, refetch }} what="the NACKs" rows={10}>
          {(page) => (
            <>
              {
                <DataTable
                  label="Equal NACKs by group"
                  rows={page.items}
                  columns={isNarrow ? narrowColumns : columns}
                  rowId={rowId}
                  onActivate={open}
                  rowHeightPx={48}
                  className="flex-1"
                  empty={<Nothing page={page} isFiltered={isFiltered || !isSameRange(range, everything)} />}
                />
              }
              {page.next !== undefined && (
                <footer className="flex items-center gap-3 border-t border-line px-3 py-1.5 note">
                  {formatCounted(page.items.length, 'group')} of {page.total}
                  <Button tone="quiet" onPress={() => setLimit(Math.min(1_000, limit + nackLimit))}>
                    More
                  </Button>
                </footer>
              )}
            </>
          )}
        </QueryContent>
      </PageTable>
    </PageBody>
  );
}

/** undefined: unknown, because the page is not loaded or the list is incomplete. */
function findNewestAt(page: NackPage | undefined, isPartial: boolean): EpochMs | null | undefined {
  const times = page?.items.map(({ lastAt }) => lastAt) ?? [];
  if (times.length > 0) return Math.max(...times);
  return page === undefined || isPartial ? undefined : null;
}

function partialText({ restoring, since, leftOut }: NackPage, timeZone: string): string {
  return [
    ...(restoring ? ['the log is being read; older NACKs follow'] : []),
    ...(since === undefined ? [] : [`since ${formatExactTime(since, timeZone)}`]),
    ...(leftOut === 0 ? [] : [`${formatCounted(leftOut, 'group')} not kept; see History`]),
  ].join('; ');
}

function Nothing({ page, isFiltered }: { readonly page: NackPage; readonly isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No NACK matches the filter and the time range" />;
  return (
    <EmptyState title={page.restoring ? 'The log is being read' : 'No NACKs'}>
      No client has reported a rejected resource since the log begins. NACKs of clients without a source are
      not known.
    </EmptyState>
  );
}
