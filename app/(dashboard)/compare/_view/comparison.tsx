'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useCallback } from 'react';
import { diffPagesOptions } from '@/app/_ask/diff-options';
import { omitEmpty } from '@/app/_ask/query-text';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { loadOnInput } from '@/app/_components/load-on-input';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { PageTable } from '@/app/_components/shell/page-body';
import { Skeleton } from '@/app/_components/skeleton';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import type { DiffAnswer, DiffAnswerItem } from '@/lib/api/diff';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { formatResourceRef, parseResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { formatDiffAddress, parseDiffAddress } from '@/lib/view-model/compare/diff-address';
import { diffColumns, diffItemId, fewDiffColumns, narrowDiffColumns } from './diff-columns';
import { DiffFilters } from './diff-filters';
import { useCompareQuery } from './use-compare-query';

const CompareGraph = dynamic(() => import('./compare-graph').then(({ CompareGraph }) => CompareGraph));
const ResourceDiff = dynamic(() => import('./resource-diff').then(({ ResourceDiff }) => ResourceDiff));
loadOnInput(() => import('./resource-diff'));

const views = [
  { value: 'resources', label: 'Resources' },
  { value: 'graph', label: 'Graph' },
] as const;

/** The comparison of two chosen sides: summary, list or graph, and one resource in full. */
export function Comparison() {
  const { query, setQuery } = useCompareQuery();
  const { left, right, kind, type, q, versions } = query;
  const asked = { left, right, ...omitEmpty({ kind, type, q, versions: versions ? 'true' : '' }) };
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery(
    diffPagesOptions(asked),
  );
  const resource = query.resource === '' ? null : (parseResourceRef(query.resource) ?? null);
  const open = useCallback(
    (next: ResourceKey | null) =>
      void setQuery({ resource: next === null ? '' : formatResourceRef(next) }, { history: 'push' }),
    [setQuery],
  );
  const close = useCallback(() => open(null), [open]);
  const [first] = data?.pages ?? [];
  if (first === undefined) {
    return error === null ? (
      <Skeleton waitsFor="both sides" rows={10} />
    ) : (
      <ErrorState
        title="Couldn’t compare the two sides"
        error={error}
        hint="Choose another time or another side."
        onRetry={() => void refetch()}
      />
    );
  }
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const view = (next: 'tree' | 'text') => void setQuery({ as: next });
  const isOne = parseDiffAddress(left)?.resource != null;
  const more = hasNextPage && !isFetching ? () => void fetchNextPage() : undefined;
  return (
    <>
      <Summary answer={first} problem={error} />
      <PageTable label="What differs" className="min-h-96">
        {isOne ? (
          <ResourceDiff left={left} right={right} view={query.as} onView={view} />
        ) : (
          <SplitView
            onClose={close}
            side={
              resource && (
                <ResourceDiff
                  key={query.resource}
                  left={withResource(left, resource)}
                  right={withResource(right, resource)}
                  view={query.as}
                  onView={view}
                  onClose={close}
                />
              )
            }
          >
            <div className="flex h-full min-h-0 min-w-0 flex-1 flex-col">
              <div className="border-b border-line px-3 py-1.5">
                <SegmentedChoice
                  label="Show what differs as"
                  value={query.view}
                  options={views}
                  onChange={(next) => void setQuery({ view: next })}
                />
              </div>
              {query.view === 'graph' ? (
                <CompareGraph
                  left={left}
                  right={right}
                  side={first.right}
                  state={query}
                  onChange={(change) => void setQuery(change)}
                  onOpen={open}
                />
              ) : (
                <>
                  <DiffFilters
                    query={query}
                    counts={first.counts}
                    onChange={(change) => void setQuery(change)}
                  />
                  <List
                    items={items}
                    total={first.total}
                    selected={resource}
                    question={JSON.stringify(asked)}
                    isFiltered={kind !== '' || type !== '' || q !== ''}
                    onOpen={open}
                    onEnd={more}
                  />
                </>
              )}
            </div>
          </SplitView>
        )}
      </PageTable>
    </>
  );
}

function withResource(address: string, resource: ResourceKey): string {
  const parsed = parseDiffAddress(address);
  return parsed === undefined ? address : formatDiffAddress({ ...parsed, resource });
}

function Summary({ answer, problem }: { readonly answer: DiffAnswer; readonly problem: Error | null }) {
  const missing = [answer.left.moment, answer.right.moment].flatMap((moment) =>
    moment === undefined || moment.incomplete === '' ? [] : [moment.incomplete],
  );
  return (
    <div role="status" aria-live="polite" className="flex flex-col gap-0.5">
      {answer.summary.map((sentence, index) => (
        <p key={sentence} className={`break-words ${index === 0 ? 'font-medium' : 'text-muted'}`}>
          {sentence}
        </p>
      ))}
      {missing.length > 0 && <p className="text-timeout">Partial: {missing.join('; ')}.</p>}
      {problem !== null && <p className="text-timeout">Couldn’t reload the comparison: {problem.message}</p>}
    </div>
  );
}

interface ListProps {
  readonly items: readonly DiffAnswerItem[];
  readonly total: number;
  readonly selected: ResourceKey | null;
  readonly question: string;
  readonly isFiltered: boolean;
  readonly onOpen: (resource: ResourceKey) => void;
  readonly onEnd: (() => void) | undefined;
}

function List({ items, total, selected, question, isFiltered, onOpen, onEnd }: ListProps) {
  const isNarrow = useIsNarrow();
  const columns = isNarrow ? narrowDiffColumns : selected === null ? diffColumns : fewDiffColumns;
  return (
    <DataTable
      label="Resources that differ"
      rows={items}
      totalRows={total}
      columns={columns}
      rowId={diffItemId}
      isSorted
      question={question}
      selectedId={selected && `${selected.typeUrl} ${selected.name}`}
      onActivate={onOpen}
      {...(onEnd !== undefined && { onEndVisible: onEnd })}
      className="flex-1"
      empty={
        <EmptyState title={isFiltered ? 'No difference matches the filter' : 'No differences'}>
          {isFiltered
            ? 'Change the filter to see more.'
            : 'Every resource is semantically equal on both sides.'}
        </EmptyState>
      }
    />
  );
}
