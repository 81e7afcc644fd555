'use client';

import { useCallback, useDeferredValue, useMemo } from 'react';
import type { DataSort } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { Skeleton } from '@/app/_components/skeleton';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import type { ResourceRow } from '@/lib/api/schema';
import { buildResourceTable } from '@/lib/view-model/client-resources/build-resource-table';
import { formatResourceRef, parseTypeKey } from '@/lib/view-model/client-resources/resource-ref';
import { useClientViewData } from './client-view-data';
import { InspectorSide } from './inspector-side';
import { narrowResourceColumns, resourceColumns } from './resource-columns';
import { resourceDetail } from './resource-detail';
import { ResourceFilters } from './resource-filters';
import { useClientViewQuery } from './use-client-view-query';

/** What exactly is in it, which version, which status? */
export function ResourcesTab() {
  const { resources } = useClientViewData();
  const { query, setQuery, resource, openResource } = useClientViewQuery();
  const isNarrow = useIsNarrow();
  const rows = resources.data;
  // Typing stays smooth over 30,000 rows: the table follows when there is time.
  const text = useDeferredValue(query.q);
  const table = useMemo(
    () =>
      rows === undefined
        ? undefined
        : buildResourceTable(rows, {
            typeUrls: query.type.flatMap((key) => parseTypeKey(key) ?? []),
            statuses: query.status,
            text,
          }),
    [rows, query.type, query.status, text],
  );
  const sort = useMemo(() => parseSort(query.sort), [query.sort]);
  const setSort = useCallback(
    (next: DataSort | null) =>
      setQuery({ sort: next === null ? '' : `${next.descending ? '-' : ''}${next.columnId}` }),
    [setQuery],
  );
  const close = useCallback(() => openResource(null), [openResource]);

  return (
    <SplitView side={resource === null ? null : <InspectorSide resource={resource} />} onClose={close}>
      {resources.isError && rows === undefined ? (
        <ErrorState
          title="The resources could not be read"
          error={resources.error}
          onRetry={() => void resources.refetch()}
        />
      ) : table === undefined ? (
        <Skeleton waitsFor="the client's resources" rows={10} />
      ) : table.total === 0 ? (
        <EmptyState title="Subscribed to nothing">
          The client answers, and holds no resource: it has asked for none yet, or its last one went.
        </EmptyState>
      ) : (
        <>
          <ResourceFilters table={table} query={query} setQuery={setQuery} />
          <DataTable
            label="Resources"
            rows={table.rows}
            columns={isNarrow ? narrowResourceColumns : resourceColumns}
            rowId={rowId}
            sort={sort}
            onSortChange={setSort}
            selectedId={resource === null ? null : formatResourceRef(resource)}
            onActivate={openResource}
            detail={resourceDetail}
            className="flex-1 border-t border-line max-md:h-[75dvh] max-md:flex-none"
            empty={
              <EmptyState title="No resource passes the filters">
                Take one off, or search for less.
              </EmptyState>
            }
          />
        </>
      )}
    </SplitView>
  );
}

const rowId = (row: ResourceRow) => formatResourceRef(row);

function parseSort(text: string): DataSort | null {
  const descending = text.startsWith('-');
  const columnId = descending ? text.slice(1) : text;
  return resourceColumns.some(({ id }) => id === columnId) ? { columnId, descending } : null;
}
