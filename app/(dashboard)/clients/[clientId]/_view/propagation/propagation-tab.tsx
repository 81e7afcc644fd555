'use client';

import Link from 'next/link';
import { useCallback, useMemo } from 'react';
import { omitEmpty } from '@/app/_ask/client-question';
import { useHasHistoryOf } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { Pager } from '@/app/_components/pager';
import { PropagationSources } from '@/app/_components/propagation/propagation-sources';
import { SearchField } from '@/app/_components/search-field';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { Skeleton } from '@/app/_components/skeleton';
import { StaleBanner } from '@/app/_components/stale-banner';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import type { PropagationPage, PropagationRow } from '@/lib/api/propagation';
import { formatCount } from '@/lib/format/count';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { InspectorSide } from '../inspector-side';
import { useClientViewQuery } from '../use-client-view-query';
import { useSettled } from '../use-settled';
import { buildPropagationColumns, narrowPropagationColumns } from './propagation-columns';

const choices = [
  { value: 'all', label: 'Everything' },
  { value: 'differs', label: 'What differs' },
] as const;
const rowId = (row: PropagationRow) => formatResourceRef(row);
const typingPauseMs = 150;
const rowsPerPage = 100;

/** Where did it become another one: at the server, on the wire, at the client? */
export function PropagationTab() {
  if (!useHasHistoryOf('propagation')) {
    return <EmptyState title="Propagation was not stored">This permalink is of another tab.</EmptyState>;
  }
  return <Compared />;
}

function Compared() {
  const { query, setQuery, resource, openResource } = useClientViewQuery();
  const q = useSettled(query.q, typingPauseMs);
  const { propagation: only, from: offset } = query;
  const asked = { only, ...omitEmpty({ q }), offset, limit: rowsPerPage };
  const { data, error, refetch } = useQuestion('propagation', asked);
  const close = useCallback(() => openResource(null), [openResource]);
  return (
    <SplitView side={resource === null ? null : <InspectorSide resource={resource} />} onClose={close}>
      {data?.moment !== undefined && data.moment.incomplete !== '' && (
        <div className="px-4 pt-3">
          <StaleBanner>Not all is known of this moment: {data.moment.incomplete}.</StaleBanner>
        </div>
      )}
      <fieldset
        aria-label="What is listed"
        className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5"
      >
        <SegmentedChoice
          label="Which resources"
          value={only}
          options={choices}
          onChange={(propagation) => setQuery({ propagation, from: 0 })}
        />
        <SearchField
          label="Part of the name"
          placeholder="part of the name"
          value={query.q}
          onChange={(text) => setQuery({ q: text, from: 0 })}
          className="w-full md:w-64"
        />
        {data !== undefined && (
          <>
            <Counts counts={data.counts} />
            <Pager
              label="resources"
              offset={offset}
              limit={rowsPerPage}
              total={data.total}
              onChange={(next) => setQuery({ from: next })}
            />
          </>
        )}
      </fieldset>
      {data === undefined && error !== null && (
        <ErrorState title="The four sides could not be read" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton waitsFor="what the four sides report" rows={10} />}
      {data !== undefined && (
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
    </SplitView>
  );
}

const rowIdOf = formatResourceRef;

function Counts({ counts: { differ, agree, alone } }: Pick<PropagationPage, 'counts'>) {
  return (
    <p role="status" className="text-[0.8571rem] text-muted">
      <span className={differ > 0 ? 'font-medium text-nacked' : undefined}>
        {formatCount(differ)} {differ === 1 ? 'differs' : 'differ'}
      </span>
      , {formatCount(agree)} {agree === 1 ? 'agrees' : 'agree'}
      {alone > 0 && `, of ${formatCount(alone)} one side alone reports`}
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
  const spoken = JSON.stringify(sources);
  const columns = useMemo(
    () => (isNarrow ? narrowPropagationColumns : buildPropagationColumns(JSON.parse(spoken))),
    [isNarrow, spoken],
  );
  return (
    <DataTable
      label="Four sides of each resource"
      rows={items}
      columns={columns}
      rowId={rowId}
      question={question}
      selectedId={selected}
      onActivate={openResource}
      rowHeightPx={isNarrow ? 84 : 46}
      className="flex-1 max-md:h-[75dvh] max-md:flex-none"
      empty={
        <EmptyState title="Nothing differs in what is listed">
          {sources.sotw === null && sources.delta === null ? (
            <>
              No probe asks this client’s server: add an ADS source with{' '}
              <Link href="/sources" className="text-accent underline underline-offset-2">
                both variants
              </Link>
              .
            </>
          ) : (
            'No resource passes these filters.'
          )}
        </EmptyState>
      }
    />
  );
}
