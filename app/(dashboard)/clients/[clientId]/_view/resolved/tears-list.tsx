'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AskTears } from '@/app/_ask/client-question';
import { Button } from '@/app/_components/button';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { ErrorState } from '@/app/_components/error-state';
import { NameText } from '@/app/_components/name-text';
import { Skeleton } from '@/app/_components/skeleton';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import type { Tears } from '@/lib/api/resolved';
import { formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { tearsListedFrom } from '@/lib/view-model/resolved/join-tears';
import { tearWords } from '@/lib/view-model/resolved/tear-words';
import { useClientViewQuery } from '../use-client-view-query';
import { TearsAxis } from './tears-axis';

type Tear = Tears['items'][number];

const outcomeShapes = { fails: 'NACKED', waits: 'TIMEOUT', nothing: 'HEALTHY' } as const;
const outcomeWords = { fails: 'failed', waits: 'waited', nothing: 'felt nothing' } as const;

/** When what was in use did not fit together, and what clients of two kinds felt of it. */
export function TearsList({ ask }: { readonly ask: AskTears }) {
  const { openResource } = useClientViewQuery();
  const isNarrow = useIsNarrow();
  /** End of the part in sight; null: now. */
  const [to, setTo] = useState<string | null>(null);
  const answer = useQuery(ask(to === null ? {} : { to }));
  if (answer.data === undefined) {
    return answer.isError ? (
      <ErrorState
        title="The tears could not be looked for"
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    ) : (
      <Skeleton waitsFor="the client’s history" rows={3} />
    );
  }
  const { items, total, beginsAt, hasOlder, isCut } = answer.data;
  const olderUntil = tearsListedFrom(answer.data);
  return (
    <div aria-busy={answer.isPlaceholderData} className="border-t border-line">
      <p className="px-4 py-2 text-[0.9286rem] text-muted">
        {total === 0
          ? 'What was in use fitted together at all times'
          : `${formatCounted(total, 'interval')} in which what was in use did not fit together${items.length < total ? `, the newest ${items.length} are listed` : ''}`}
        {beginsAt !== null && (
          <>
            , from <TimeAgo iso={beginsAt} />
            {hasOlder
              ? ', earlier than which the log reports this client, too,'
              : ', where the log of this client begins,'}{' '}
            to {to === null ? 'now' : <TimeAgo iso={to} />}
          </>
        )}
        . Of changes that were seen at one moment nobody knows the order.
        {isCut && ' The log holds more than is read for one question: the newest part is missing.'}
      </p>
      {(olderUntil !== null || to !== null) && (
        <p className="flex gap-1 px-3 pb-2">
          {olderUntil !== null && (
            <Button tone="quiet" className="h-7" onPress={() => setTo(olderUntil)}>
              Look further back
            </Button>
          )}
          {to !== null && (
            <Button tone="quiet" className="h-7" onPress={() => setTo(null)}>
              Newest
            </Button>
          )}
        </p>
      )}
      {items.length > 0 && (
        <>
          <TearsAxis tears={answer.data} />
          <DataTable
            label="Tears"
            rows={items}
            columns={isNarrow ? narrowColumns : columns}
            rowId={rowId}
            onActivate={(tear) => {
              const [missing] = tear.resources;
              if (missing !== undefined) openResource(missing);
            }}
            detail={tearDetail}
            className="max-h-96 border-t border-line"
          />
        </>
      )}
    </div>
  );
}

const rowId = ({ kind, fromAt, resources }: Tear) =>
  JSON.stringify([kind, fromAt, resources.map(({ typeUrl, name }) => [typeUrl, name])]);

const when: DataColumn<Tear> = {
  id: 'when',
  header: 'Began',
  widthPx: 120,
  align: 'right',
  sortsDescendingFirst: true,
  sortValue: (row) => Date.parse(row.fromAt),
  cell: (row) => <TimeAgo iso={row.fromAt} />,
};
const howLong: DataColumn<Tear> = {
  id: 'how-long',
  header: 'Lasted',
  widthPx: 112,
  align: 'right',
  sortsDescendingFirst: true,
  sortValue: (row) => row.durationMs,
  cell: (row) =>
    row.toAt === null ? (
      <span className="text-timeout">{formatDuration(row.durationMs)}, lasts</span>
    ) : (
      formatDuration(row.durationMs)
    ),
};
const what: DataColumn<Tear> = {
  id: 'what',
  header: 'What',
  widthPx: 220,
  grows: true,
  cell: (row) => (
    <span className="block truncate" title={tearWords[row.kind]}>
      {tearWords[row.kind]}
    </span>
  ),
};
const missing: DataColumn<Tear> = {
  id: 'missing',
  header: 'Missing',
  widthPx: 200,
  grows: true,
  cell: ({ resources: [first] }) =>
    first === undefined ? null : (
      <span className="flex min-w-0 items-center gap-1.5">
        <span className="text-[0.8571em] text-muted">{first.service}</span>
        <NameText name={first.name} maxChars={40} />
      </span>
    ),
};
const before: DataColumn<Tear> = {
  id: 'before',
  header: 'Before A74',
  description: 'A client for which each resource takes effect when it comes',
  widthPx: 150,
  cell: ({ preA74 }) => <FeltMark felt={preA74} />,
};
const since: DataColumn<Tear> = {
  id: 'a74',
  header: 'A74',
  description: 'gRFC A74: a client that publishes whole configs only',
  widthPx: 150,
  cell: ({ a74 }) => <FeltMark felt={a74} />,
};
const columns = [when, howLong, what, missing, before, since];
const narrowColumns = [
  { ...when, widthPx: 100 },
  { ...howLong, widthPx: 96 },
  { ...missing, widthPx: 130 },
];

function FeltMark({ felt: { outcome, durationMs } }: { readonly felt: Tear['a74'] }) {
  const long = outcome === 'nothing' ? '' : ` ${formatDuration(durationMs)}`;
  return <StatusMark status={outcomeShapes[outcome]} word={`${outcomeWords[outcome]}${long}`} />;
}

function tearDetail({ rejection, preA74, a74 }: Tear) {
  return (
    <div className="text-[0.8571rem] break-words text-muted">
      {rejection !== '' && <p>What came is not used: {rejection}</p>}
      <p>Before A74: {preA74.text}</p>
      <p>A74: {a74.text}</p>
    </div>
  );
}
