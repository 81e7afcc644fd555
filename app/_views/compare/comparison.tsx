'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useCallback } from 'react';
import { diffPagesOptions } from '@/app/_ask/diff-options';
import { omitEmpty } from '@/app/_ask/query-text';
import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { loadOnInput } from '@/app/_components/load-on-input';
import { SearchField } from '@/app/_components/search-field';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { SelectField } from '@/app/_components/select-field';
import { ShapeMark } from '@/app/_components/shape-mark';
import { PageTable } from '@/app/_components/shell/page-body';
import { Skeleton } from '@/app/_components/skeleton';
import { StateMark } from '@/app/_components/status-mark';
import { TypeField } from '@/app/_components/type-field';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { diffItemKinds } from '@/lib/diff/diff-item-kind';
import { formatCount } from '@/lib/format/count';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { sideShape } from '@/lib/views/changes/change-shape';
import { describeLine, describeValues } from '@/lib/views/compare/describe-diff';
import { formatDiffAddress, parseDiffAddress } from '@/lib/views/compare/diff-address';
import type { DiffAnswer, DiffAnswerItem } from '@/lib/views/compare/schema';
import { formatResourceRef, parseResourceRef } from '@/lib/views/resources/resource-ref';
import { type CompareQuery, useCompareQuery } from './search-params';

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

type Column = DataColumn<DiffAnswerItem>;

const kind: Column = column('kind', 'Difference', (item) => item.kind, {
  widthPx: 190,
  as: (value) => <ShapeMark shape={sideShape(value)} />,
});

const type: Column = column('type', 'Type', (item) => item.service, {
  widthPx: 70,
  as: (service) => <span className="note">{service}</span>,
});

const name: Column = column('name', 'Name', (item) => item.name, { as: 'name', widthPx: 220, grows: true });

const changes: Column = column('changes', 'Changes', ({ totals }) => totals?.changes || null, {
  as: 'count',
  why: null,
  description: 'Number of semantic differences',
  widthPx: 80,
});

const what: Column = {
  id: 'what',
  header: 'What',
  description: 'The first difference',
  widthPx: 300,
  grows: true,
  cell: (item) => <What item={item} />,
};

const diffColumns = unsorted([kind, type, name, changes, what]);

/** Used beside an open resource. */
const fewDiffColumns = unsorted([{ ...kind, widthPx: 130 }, type, name, changes]);

const narrowDiffColumns = unsorted([
  { ...kind, widthPx: 120 },
  { ...type, widthPx: 56 },
  { ...name, widthPx: 160 },
]);

const diffItemId = ({ typeUrl, name }: DiffAnswerItem): string => `${typeUrl} ${name}`;

/** The end of a path identifies the field best. */
const pathChars = 44;

function What({ item: { kind, lines, left, right } }: { readonly item: DiffAnswerItem }) {
  const [line] = lines;
  if (line !== undefined) {
    const text = describeLine(line, 'sides');
    return (
      <span className="flex min-w-0 gap-2 font-mono text-small" title={text} translate="no">
        <span className="min-w-0 truncate">{formatMiddleCut(line.path, pathChars)}</span>
        <span className="max-w-3/5 shrink-0 truncate">{describeValues(line, 'sides')}</span>
      </span>
    );
  }
  if (kind === 'added') return <span className="text-muted">only in B</span>;
  if (kind === 'removed') return <span className="text-muted">only in A</span>;
  if (kind !== 'status') return null;
  return (
    <span className="inline-flex items-center gap-1.5 text-small">
      {left === undefined ? 'not reported' : <StateMark state={left.state} />} →{' '}
      {right === undefined ? 'not reported' : <StateMark state={right.state} />}
    </span>
  );
}

interface DiffFiltersProps {
  readonly query: CompareQuery;
  readonly counts: DiffAnswer['counts'];
  readonly onChange: (change: Partial<CompareQuery>) => void;
}

function DiffFilters({ query, counts, onChange }: DiffFiltersProps) {
  const { kind, type, q, versions } = query;
  const kinds = diffItemKinds.filter((each) => counts[each] > 0 || each === kind);
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-1.5 border-b border-line px-3 py-2">
      <SelectField
        className="w-52"
        label="Difference"
        value={kind}
        options={[
          { value: '', label: 'all' },
          ...kinds.map((value) => ({
            value,
            label: `${sideShape(value).word} (${formatCount(counts[value])})`,
          })),
        ]}
        onChange={(next) => onChange({ kind: next })}
      />
      <TypeField value={type} onChange={(next) => onChange({ type: next })} className="w-32" />
      <SearchField
        label="Part of the name"
        placeholder="part of the name"
        value={q}
        onChange={(next) => onChange({ q: next })}
        className="min-w-40 flex-1 md:max-w-72"
      />
      {counts.version > 0 && (
        <label className="inline-flex h-8 items-center gap-2 text-medium">
          <input
            type="checkbox"
            checked={versions}
            onChange={(event) => onChange({ versions: event.target.checked })}
          />
          Version only ({formatCount(counts.version)})
        </label>
      )}
    </div>
  );
}
