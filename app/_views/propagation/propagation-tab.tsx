'use client';

import Link from 'next/link';
import { useCallback, useMemo } from 'react';
import { useHasHistoryOf } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { ListToolbar } from '@/app/_components/list-toolbar';
import { PropagationSources } from '@/app/_components/propagation/propagation-sources';
import { QueryContent } from '@/app/_components/query-content';
import { StaleBanner } from '@/app/_components/stale-banner';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { formatCount } from '@/lib/format/count';
import type { PropagationPage, PropagationRow } from '@/lib/views/propagation/schema';
import { formatResourceRef } from '@/lib/views/resources/resource-ref';
import { InspectorSide } from '../client/inspector-side';
import { useClientViewQuery } from '../client/use-client-view-query';
import { buildPropagationColumns, narrowPropagationColumns } from './propagation-columns';
import { propagationParams, propagationPerPage, propagationQueryOf } from './search-params';

const choices = [
  { value: 'all', label: 'All' },
  { value: 'differs', label: 'Differences' },
] as const;
const rowId = (row: PropagationRow) => formatResourceRef(row);
const typingPauseMs = 150;

export function PropagationTab() {
  if (!useHasHistoryOf('propagation')) {
    return <EmptyState title="No propagation stored">This permalink was created on another tab.</EmptyState>;
  }
  return <Compared />;
}

function Compared() {
  const { query, setQuery, resource, openResource } = useClientViewQuery(propagationParams);
  const q = useDebounced(query.q, typingPauseMs);
  const asked = propagationQueryOf({ ...query, q });
  const { data, error, refetch } = useQuestion('propagation', asked);
  const close = useCallback(() => openResource(null), [openResource]);
  return (
    <SplitView side={resource === null ? null : <InspectorSide resource={resource} />} onClose={close}>
      {data?.moment !== undefined && data.moment.incomplete !== '' && (
        <div className="px-4 pt-3">
          <StaleBanner>Data of this time is incomplete: {data.moment.incomplete}.</StaleBanner>
        </div>
      )}
      <ListToolbar
        choice={{
          label: 'Which resources',
          value: query.propagation,
          options: choices,
          onChange: (propagation) => setQuery({ propagation, skip: 0 }),
        }}
        search={{
          label: 'Part of the name',
          placeholder: 'part of the name',
          value: query.q,
          onChange: (text) => setQuery({ q: text, skip: 0 }),
          className: 'w-full md:w-64',
        }}
        counts={data && <Counts counts={data.counts} />}
        pager={
          data && {
            label: 'resources',
            offset: query.skip,
            limit: propagationPerPage,
            total: data.total,
            onChange: (skip) => setQuery({ skip }),
          }
        }
      />
      <QueryContent query={{ data, error, refetch }} what="the propagation" rows={10}>
        {(data) => (
          <>
            <div className="border-b border-line px-4 py-2">
              <PropagationSources sources={data.sources} />
            </div>
            <Rows
              page={data}
              question={JSON.stringify([asked, data.moment?.at])}
              selected={resource && rowIdOf(resource)}
            />
          </>
        )}
      </QueryContent>
    </SplitView>
  );
}

const rowIdOf = formatResourceRef;

function Counts({ counts: { differ, behind, otherNode, agree, alone } }: Pick<PropagationPage, 'counts'>) {
  return (
    <p role="status" className="note">
      <span className={differ > 0 ? 'font-medium text-nacked' : undefined}>
        {formatCount(differ)} {differ === 1 ? 'differs' : 'differ'}
      </span>
      {behind > 0 && `, ${formatCount(behind)} behind`}, {formatCount(agree)}{' '}
      {agree === 1 ? 'agrees' : 'agree'}
      {otherNode > 0 &&
        `, ${formatCount(otherNode)} ${otherNode === 1 ? 'differs' : 'differ'} only at the probes, which request as other nodes`}
      {alone > 0 && `, ${formatCount(alone)} reported by one source only`}
    </p>
  );
}

interface RowsProps {
  readonly page: PropagationPage;
  readonly question: string;
  readonly selected: string | null;
}

function Rows({ page: { items, sources }, question, selected }: RowsProps) {
  const { openResource } = useClientViewQuery();
  const isNarrow = useIsNarrow();
  const observed = JSON.stringify(sources);
  const columns = useMemo(
    () => (isNarrow ? narrowPropagationColumns : buildPropagationColumns(JSON.parse(observed))),
    [isNarrow, observed],
  );
  return (
    <DataTable
      label="Propagation of each resource"
      rows={items}
      columns={columns}
      rowId={rowId}
      question={question}
      selectedId={selected}
      onActivate={openResource}
      rowHeightPx={isNarrow ? 84 : 46}
      className="flex-1 max-md:h-[75dvh] max-md:flex-none"
      empty={
        <EmptyState title="No differences">
          {sources.sotw === undefined && sources.delta === undefined ? (
            <>
              No probe is connected to this client’s server: add an ADS source with{' '}
              <Link href="/sources" className="link">
                both variants
              </Link>
              .
            </>
          ) : (
            'No resource matches the filters.'
          )}
        </EmptyState>
      }
    />
  );
}
