'use client';

import Link from 'next/link';
import { useEffect, useMemo, useState } from 'react';
import { clientHref } from '@/app/_components/client-href';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { nackHref } from '@/app/_components/nack-href';
import { NameText } from '@/app/_components/name-text';
import { Panel } from '@/app/_components/panel';
import { TimeAgo } from '@/app/_components/time-ago';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { formatCounted } from '@/lib/format/count';
import { nackStates } from '@/lib/nacks/nack-group';
import { layoutRejectionSpans, type RejectionSpan } from '@/lib/views/nacks/layout-rejection-span';
import type { NackClient, NackDetail } from '@/lib/views/nacks/schema';
import type { EpochMs } from '@/lib/xds/units';
import { NackStateMark } from './nack-state-mark';

const spanWidthPx = 180;
const rowHeightPx = 44;
const rowId = (client: NackClient) => client.clientId;

export function ClientsPanel({ nack }: { readonly nack: NackDetail }) {
  const { clients, group } = nack;
  const isNarrow = useIsNarrow();
  const now = useNowOf(nack);
  const columns = useMemo(() => {
    const spans = layoutRejectionSpans(clients, now, spanWidthPx);
    const byClient = new Map(spans.map((span) => [span.clientId, span]));
    return isNarrow ? narrowColumns(group) : wideColumns(group, byClient);
  }, [clients, group, isNarrow, now]);
  return (
    <Panel
      title="Clients"
      vantage={group.vantages.join(', ')}
      partial={
        group.clients.leftOut === 0 ? '' : `${formatCounted(group.clients.leftOut, 'client')} more not kept`
      }
      flush
    >
      <DataTable
        label="Clients that rejected it"
        rows={clients}
        columns={columns}
        rowId={rowId}
        rowHeightPx={rowHeightPx}
        className="max-h-96"
      />
    </Panel>
  );
}

/** The end of an open NACK: the time of the newest answer. 0 on the server, whose clock differs. */
function useNowOf(nack: NackDetail): EpochMs {
  const [reported, setReported] = useState<{ readonly of: NackDetail; readonly now: EpochMs } | null>(null);
  useEffect(() => setReported({ of: nack, now: Date.now() }), [nack]);
  return reported?.now ?? 0;
}

type Column = DataColumn<NackClient>;

function wideColumns(group: NackDetail['group'], spans: ReadonlyMap<string, RejectionSpan>): Column[] {
  return [
    stateColumn,
    clientColumn(group),
    versionColumn,
    timesColumn,
    {
      id: 'span',
      header: 'From first to last',
      description:
        'From the first NACK of any client (left) to the latest event (right). Triangle: newest NACK',
      widthPx: spanWidthPx + 24,
      cell: ({ clientId }) => <Span span={spans.get(clientId)} />,
    },
    lastColumn,
    endColumn,
  ];
}

function narrowColumns(group: NackDetail['group']): Column[] {
  return [
    {
      ...clientColumn(group),
      header: 'Client, state',
      widthPx: 180,
      cell: ({ clientId, nodeId, state }) => (
        <div className="flex min-w-0 flex-col">
          <Link href={clientHref(clientId, group)} className="min-w-0 font-medium link-hover">
            <NameText name={nodeId} />
          </Link>
          <NackStateMark state={state} />
        </div>
      ),
    },
    { ...endColumn, widthPx: 170 },
  ];
}

const stateColumn: Column = column('state', 'State', ({ state }) => nackStates.indexOf(state), {
  widthPx: 110,
  cell: ({ state }) => <NackStateMark state={state} />,
});

function clientColumn(group: NackDetail['group']): Column {
  return column('client', 'Client', ({ nodeId }) => nodeId, {
    widthPx: 200,
    grows: true,
    cell: ({ clientId, nodeId, userAgent, vantages }) => (
      <div className="flex min-w-0 flex-col">
        <Link href={clientHref(clientId, group)} className="min-w-0 font-medium link-hover">
          <NameText name={nodeId} />
        </Link>
        <span className="truncate text-tiny text-muted">
          {userAgent === '' ? 'user agent not reported' : userAgent} · {vantages.join(', ')}
        </span>
      </div>
    ),
  });
}

const versionColumn: Column = column('version', 'Rejected version', ({ versionInfo }) => versionInfo, {
  description: 'The newest rejected version',
  widthPx: 150,
  as: (version) =>
    version === '' ? <span className="text-muted">not reported</span> : <NameText name={version} />,
});

const timesColumn: Column = column('times', 'Count', ({ times }) => times, { as: 'count', widthPx: 64 });
const lastColumn: Column = column('last', 'Last', ({ lastAt }) => lastAt, { as: 'ago' });

const endColumn: Column = column('ended', 'Resolved', ({ ended }) => ended?.at, {
  description: 'When and how the NACK was resolved',
  widthPx: 240,
  grows: true,
  cell: ({ ended, gone }) =>
    ended !== undefined ? (
      <Ending ended={ended} />
    ) : gone === undefined ? (
      <span className="text-nacked">still rejects it</span>
    ) : (
      <span className="block min-w-0 text-small leading-snug text-muted">
        open: the client terminated <TimeAgo at={gone.at} /> ({gone.reason})
      </span>
    ),
});

function Ending({ ended: { at, by } }: { readonly ended: NonNullable<NackClient['ended']> }) {
  return (
    <span className="block min-w-0 text-small leading-snug">
      <TimeAgo at={at} />{' '}
      {by.kind === 'accepted' && (
        <>
          by version{' '}
          <span
            className="font-mono break-all"
            title={by.hash === null ? 'content not reported' : `SHA-256 ${by.hash}`}
          >
            {by.versionInfo === '' ? 'not reported' : by.versionInfo}
          </span>
        </>
      )}
      {by.kind === 'removed' && 'the resource was removed'}
      {by.kind === 'rejected-otherwise' && (
        <Link href={nackHref(by.groupId)} className="link">
          now rejected for another reason
        </Link>
      )}
    </span>
  );
}

function Span({ span }: { readonly span: RejectionSpan | undefined }) {
  if (span === undefined) return null;
  const { fromPx, toPx, lastPx, state, isTerminated } = span;
  const color = state === 'resolved' ? 'var(--status-acked)' : 'var(--status-unknown)';
  return (
    <svg width={spanWidthPx} height={16} aria-hidden="true" className="block">
      <path d={`M0 8H${spanWidthPx}`} stroke="var(--border)" />
      <path d={`M${fromPx} 8H${toPx}`} stroke="var(--status-nacked)" strokeWidth={4} strokeLinecap="butt" />
      <path d={`M${lastPx} 2l5 9h-10Z`} fill="var(--status-nacked)" />
      {(state === 'resolved' || isTerminated) && (
        <circle cx={Math.min(toPx, spanWidthPx - 5)} cy={8} r={4.5} fill={color} />
      )}
    </svg>
  );
}
