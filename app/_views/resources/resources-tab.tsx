'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { resourceCountsOptions, resourcePagesOptions } from '@/app/_ask/resource-pages';
import { type DataSort, formatSort } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { Skeleton } from '@/app/_components/skeleton';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { parseResourceSort } from '@/lib/views/resources/resource-question';
import { formatResourceRef } from '@/lib/views/resources/resource-ref';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import { InspectorSide } from '../client/inspector-side';
import { useClientViewQuery } from '../client/use-client-view-query';
import { buildResourceColumns, narrowResourceColumns, resourceDetail } from './resource-columns';
import { ResourceFilters } from './resource-filters';
import { resourcesParams, rowsQueryOf } from './search-params';

const typingPauseMs = 150;

export function ResourcesTab() {
  const { subject } = useClientViewData();
  const { query, setQuery, resource, openResource } = useClientViewQuery(resourcesParams);
  const isNarrow = useIsNarrow();
  const q = useDebounced(query.q, typingPauseMs);
  const rowsQuery = rowsQueryOf({ ...query, q });
  const pages = useInfiniteQuery(resourcePagesOptions(subject, rowsQuery));
  const counts = useQuery(resourceCountsOptions(subject, rowsQuery));
  const rows = useMemo(() => pages.data?.pages.flatMap(({ items }) => items), [pages.data]);
  const columns = useMemo(
    () => (isNarrow ? narrowResourceColumns : buildResourceColumns(query.columns)),
    [isNarrow, query.columns],
  );
  const tableSort = useMemo(() => parseResourceSort(query.sort), [query.sort]);
  const setSort = useCallback((next: DataSort | null) => setQuery({ sort: formatSort(next) }), [setQuery]);
  const close = useCallback(() => openResource(null), [openResource]);
  const { fetchNextPage, hasNextPage, isFetching, isPlaceholderData } = pages;
  // Requesting the next page would cancel a running reload.
  const wantsMore = hasNextPage && !isFetching && !isPlaceholderData && !pages.isError;
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const error = pages.error ?? counts.error;

  return (
    <SplitView side={resource === null ? null : <InspectorSide resource={resource} />} onClose={close}>
      {counts.data?.total === 0 ? (
        <EmptyState title="No resources">
          The client reports no resources: it has not subscribed to any, or all were removed.
        </EmptyState>
      ) : (
        <>
          {counts.data !== undefined && (
            <ResourceFilters
              counts={counts.data}
              isCounting={counts.isPlaceholderData}
              query={query}
              setQuery={setQuery}
            />
          )}
          {rows !== undefined ? (
            <DataTable
              label="Resources"
              rows={rows}
              columns={columns}
              rowId={rowId}
              sort={tableSort}
              onSortChange={setSort}
              isSorted
              question={JSON.stringify(rowsQuery)}
              totalRows={counts.data?.matched}
              onEndVisible={wantsMore ? loadMore : undefined}
              selectedId={resource === null ? null : formatResourceRef(resource)}
              onActivate={openResource}
              detail={resourceDetail}
              className={`flex-1 border-t border-line max-md:h-[75dvh] max-md:flex-none ${isPlaceholderData ? 'opacity-60' : ''}`}
              empty={
                <EmptyState title="No resource matches the filters">
                  Change the filters to see more.
                </EmptyState>
              }
            />
          ) : error === null ? (
            <Skeleton waitsFor="the client's resources" rows={10} />
          ) : null}
          {error !== null && (
            <ErrorState
              title={rows === undefined ? 'Couldn’t load the resources' : 'Couldn’t load all resources'}
              error={error}
              onRetry={() => {
                void pages.refetch();
                void counts.refetch();
              }}
            />
          )}
        </>
      )}
    </SplitView>
  );
}

const rowId = (row: ResourceRowJson) => formatResourceRef(row);
