'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { omitEmpty } from '@/app/_ask/query-text';
import { fetchAnswer } from '@/app/_ask/question';
import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { NameText } from '@/app/_components/name-text';
import { QueryContent } from '@/app/_components/query-content';
import { SearchField } from '@/app/_components/search-field';
import { separator } from '@/app/_components/separator';
import { SourceMark } from '@/app/_components/source-mark';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import type { Source } from '@/lib/views/sources/schema';

const columns: readonly DataColumn<Source>[] = unsorted([
  column('state', 'State', ({ state }) => state, {
    widthPx: 130,
    as: (state) => <SourceMark state={state} />,
  }),
  column('target', 'Target', ({ target }) => target, {
    widthPx: 240,
    grows: true,
    as: (target, { label }) => <NameText name={label === target ? target : `${label} (${target})`} copy />,
  }),
  column('answered', 'Last response', ({ lastSuccessAt }) => lastSuccessAt, { as: 'ago', widthPx: 110 }),
  column('size', 'Size', ({ answerBytes }) => answerBytes, { as: 'bytes', widthPx: 90 }),
  column('latency', 'Latency', ({ latencyMs }) => latencyMs, {
    as: formatDuration,
    align: 'right',
    widthPx: 90,
  }),
  column('failures', 'Failures', ({ failures }) => failures, { as: 'count', widthPx: 90 }),
]);

const targetsPerPage = 200;
/** The stream has no topic for the targets of lists, which may be thousands. */
const refreshMs = 5_000;

const idOf = ({ id }: Source): string => id;

const detailOf = ({ problem }: Source) =>
  problem === undefined ? null : <p className="px-3 pb-1.5 break-words text-nacked">{problem.message}</p>;

export function ListMembers({
  listId,
  members,
}: {
  readonly listId: string;
  readonly members: NonNullable<Source['members']>;
}) {
  const [isOpen, setOpen] = useState(false);
  const { total, up, down, connecting, paused } = members;
  const others = [
    down > 0 ? `${formatCount(down)} down` : '',
    connecting > 0 ? `${formatCount(connecting)} not polled yet` : '',
    paused > 0 ? `${formatCount(paused)} paused` : '',
  ].filter((part) => part !== '');
  return (
    <details className="group mt-1" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer rounded text-muted hover:text-text">
        {formatCounted(total, 'target')}: {[`${formatCount(up)} up`, ...others].join(separator)}
      </summary>
      {isOpen && <Members listId={listId} />}
    </details>
  );
}

function Members({ listId }: { readonly listId: string }) {
  const [text, setText] = useState('');
  const { data, error, refetch, fetchNextPage, hasNextPage } = useListMembers(listId, text);
  const rows = data?.pages.flatMap(({ items }) => items);
  return (
    <div className="mt-2 flex flex-col gap-2">
      <SearchField
        label="Find a target"
        placeholder="Part of a target or label"
        value={text}
        onChange={setText}
      />
      <QueryContent query={{ data: rows, error, refetch }} what="the targets of this list">
        {(rows) => (
          <DataTable
            label="Targets of this list"
            rows={rows}
            columns={columns}
            rowId={idOf}
            detail={detailOf}
            isSorted
            totalRows={data?.pages[0]?.total ?? rows.length}
            onEndVisible={hasNextPage ? () => void fetchNextPage() : undefined}
            question={text}
            empty={<p className="p-3 text-muted">No target matches.</p>}
            className="max-h-96 rounded-md border border-line bg-raised"
          />
        )}
      </QueryContent>
    </div>
  );
}

/** The targets of a list, page by page; those that are down first. */
function useListMembers(listId: string, text: string) {
  return useInfiniteQuery({
    queryKey: ['sources', 'of', listId, text],
    queryFn: ({ pageParam, signal }) => {
      const page = { list: listId, offset: pageParam, limit: targetsPerPage };
      return fetchAnswer('sources', { ...page, ...omitEmpty({ q: text }) }, signal);
    },
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const read = pages.reduce((sum, { items }) => sum + items.length, 0);
      return read < total ? read : undefined;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}
