'use client';

import { useMemo } from 'react';
import { formatCounted } from '@/lib/format/count';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { ErrorState } from '../../_components/error-state';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { Skeleton } from '../../_components/skeleton';
import { useLoad } from '../../_hooks/queries';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { useLiveStream } from '../../_hooks/use-live-stream';
import { loadColumns, narrowLoadColumns } from './load-columns';
import { buildLoadLines, type LoadLine } from './load-lines';

const lineId = (line: LoadLine) => line.id;
const initialSort = { columnId: 'client', descending: false };

export function LoadPage() {
  useLiveStream('load');
  const { data: rows, error, refetch } = useLoad();
  const lines = useMemo(() => buildLoadLines(rows ?? []), [rows]);
  const newestAt = useMemo(
    () =>
      rows
        ?.map(({ lastReportAt }) => lastReportAt)
        .sort()
        .at(-1) ?? null,
    [rows],
  );
  const isNarrow = useIsNarrow();
  const clients = new Set(rows?.map(({ clientId }) => clientId)).size;
  return (
    <PageBody fills>
      <PageHead
        title="Load"
        vantage={`load reports (LRS) of ${formatCounted(clients, 'client')}`}
        age={newestAt}
      />
      <section
        aria-label="Load"
        className="flex min-h-80 flex-1 flex-col overflow-hidden rounded-lg border border-line bg-raised"
      >
        {rows === undefined && error !== null && (
          <ErrorState title="The load could not be read" error={error} onRetry={() => void refetch()} />
        )}
        {rows === undefined && error === null && <Skeleton waitsFor="the load reports" rows={10} />}
        {rows !== undefined && (
          <DataTable
            label="Load by client, cluster and locality"
            rows={lines}
            columns={isNarrow ? narrowLoadColumns : loadColumns}
            rowId={lineId}
            sort={initialSort}
            rowHeightPx={42}
            className="flex-1"
            empty={
              <EmptyState title="No load was reported yet">
                Clients report to the LRS server that their control plane names. Start xdscope with{' '}
                <code>--lrs-listen HOST:PORT</code> and let a cluster’s <code>lrs_server</code> lead there.
              </EmptyState>
            }
          />
        )}
      </section>
    </PageBody>
  );
}
