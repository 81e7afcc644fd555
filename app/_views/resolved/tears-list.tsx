'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AskTears } from '@/app/_ask/client-question';
import { Button } from '@/app/_components/button';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { NameText } from '@/app/_components/name-text';
import { QueryContent } from '@/app/_components/query-content';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { tearsListedFrom } from '@/lib/views/resolved/join-tears';
import { tearTexts } from '@/lib/views/resolved/tear-texts';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import type { EpochMs } from '@/lib/xds/units';
import { useClientViewQuery } from '../client/use-client-view-query';
import { TearsAxis } from './tears-axis';

type Tear = Tears['items'][number];

const outcomeShapes = { fails: 'NACKED', waits: 'TIMEOUT', nothing: 'HEALTHY' } as const;
const outcomeWords = { fails: 'failed', waits: 'waited', nothing: 'no impact' } as const;

export function TearsList({ ask }: { readonly ask: AskTears }) {
  /** The end of the shown part; undefined: now. */
  const [to, setTo] = useState<EpochMs>();
  const answer = useQuery(ask(to === undefined ? {} : { to }));
  return (
    <QueryContent query={answer} what="the config tears" rows={3}>
      {(tears) => <List tears={tears} isNext={answer.isPlaceholderData} to={to} onTo={setTo} />}
    </QueryContent>
  );
}

interface ListProps {
  readonly tears: Tears;
  readonly isNext: boolean;
  readonly to?: EpochMs | undefined;
  readonly onTo: (to: EpochMs | undefined) => void;
}

function List({ tears, isNext, to, onTo }: ListProps) {
  const { openResource } = useClientViewQuery();
  const isNarrow = useIsNarrow();
  const { items, total, beginsAt, hasOlder, isCut } = tears;
  const olderUntil = tearsListedFrom(tears);
  return (
    <div aria-busy={isNext} className="border-t border-line">
      <p className="px-4 py-2 text-medium text-muted">
        {total === 0
          ? 'No config tears observed'
          : `${formatCounted(total, 'interval')} with inconsistent config${items.length < total ? `, the newest ${items.length} are listed` : ''}`}
        {beginsAt !== undefined && (
          <>
            , from <TimeAgo at={beginsAt} />
            {hasOlder ? ' (earlier events are not included)' : ' (start of the recording)'} to{' '}
            {to === undefined ? 'now' : <TimeAgo at={to} />}
          </>
        )}
        . The order of changes seen at the same time is unknown.
        {isCut && ' Too many events: the newest ones are missing.'}
      </p>
      {(olderUntil !== undefined || to !== undefined) && (
        <p className="flex gap-1 px-3 pb-2">
          {olderUntil !== undefined && (
            <Button tone="quiet" className="h-7" onPress={() => onTo(olderUntil)}>
              Older
            </Button>
          )}
          {to !== undefined && (
            <Button tone="quiet" className="h-7" onPress={() => onTo(undefined)}>
              Newest
            </Button>
          )}
        </p>
      )}
      {items.length > 0 && (
        <>
          <TearsAxis tears={tears} />
          <DataTable
            label="Config tears"
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

type Column = DataColumn<Tear>;
const when: Column = column('when', 'Began', (row) => row.fromAt, { as: 'ago', widthPx: 120 });
const howLong: Column = column('how-long', 'Lasted', (row) => row.durationMs, {
  widthPx: 112,
  align: 'right',
  sortsDescendingFirst: true,
  as: (durationMs, { toAt }) =>
    toAt === undefined ? (
      <span className="text-timeout">{formatDuration(durationMs)}, lasts</span>
    ) : (
      formatDuration(durationMs)
    ),
});
const what: Column = column('what', 'What', ({ kind }) => tearTexts[kind], {
  as: 'text',
  widthPx: 220,
  sortValue: undefined,
});
const missing: Column = {
  id: 'missing',
  header: 'Missing',
  widthPx: 200,
  grows: true,
  cell: ({ resources: [first] }) =>
    first === undefined ? null : (
      <span className="flex min-w-0 items-center gap-1.5">
        <span className="text-[0.8571em] text-muted">{first.service}</span>
        <NameText name={first.name} />
      </span>
    ),
};
const before: Column = {
  id: 'before',
  header: 'Before A74',
  description: 'Clients that apply each resource on arrival',
  widthPx: 150,
  cell: ({ preA74 }) => <ImpactMark impact={preA74} />,
};
const since: Column = {
  id: 'a74',
  header: 'A74',
  description: 'Clients that apply only complete configs (gRFC A74)',
  widthPx: 150,
  cell: ({ a74 }) => <ImpactMark impact={a74} />,
};
const columns = [when, howLong, what, missing, before, since];
const narrowColumns = [
  { ...when, widthPx: 100 },
  { ...howLong, widthPx: 96 },
  { ...missing, widthPx: 130 },
];

function ImpactMark({ impact: { outcome, durationMs } }: { readonly impact: Tear['a74'] }) {
  const long = outcome === 'nothing' ? '' : ` ${formatDuration(durationMs)}`;
  return <StatusMark status={outcomeShapes[outcome]} word={`${outcomeWords[outcome]}${long}`} />;
}

function tearDetail({ rejection, preA74, a74 }: Tear) {
  return (
    <div className="note break-words">
      {rejection !== '' && <p>The new resource is not used: {rejection}</p>}
      <p>Before A74: {preA74.text}</p>
      <p>A74: {a74.text}</p>
    </div>
  );
}
