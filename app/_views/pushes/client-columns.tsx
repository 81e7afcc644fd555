import Link from 'next/link';
import { NotReported } from '@/app/_components/bytes-text';
import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { nacksHref } from '@/app/_components/nack-href';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatDuration, formatSpan } from '@/lib/format/duration';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ConvergenceClient, ConvergenceSubject, OutcomeKindReported } from '@/lib/views/pushes/schema';
import type { State } from '@/lib/xds/status';
import type { EpochMs } from '@/lib/xds/units';

export type ClientLine = ConvergenceClient & {
  readonly subject: ConvergenceSubject;
  readonly firstAt: EpochMs;
};
type ClientColumn = DataColumn<ClientLine>;

const marks: Readonly<Record<OutcomeKindReported, { readonly status: State; readonly word?: string }>> = {
  accepted: { status: 'ACKED' },
  rejected: { status: 'NACKED' },
  silent: { status: 'TIMEOUT', word: 'not connected' },
  behind: { status: 'NO_ANSWER' },
  unclear: { status: 'UNKNOWN' },
  missing: { status: 'DOES_NOT_EXIST' },
  'passed-over': { status: 'ACKED', word: 'newer ACKED' },
  already: { status: 'ACKED', word: 'unchanged' },
  different: { status: 'UNKNOWN', word: 'own content' },
  'joined-later': { status: 'UNKNOWN', word: 'joined later' },
  left: { status: 'UNKNOWN', word: 'unsubscribed' },
};

const client: ClientColumn = column('client', 'Client', ({ nodeId }) => nodeId, {
  widthPx: 170,
  grows: true,
  as: (nodeId, { clientId, probe, seq }) => (
    <div className="min-w-0">
      <Link
        href={`/clients/${encodeURIComponent(clientId)}/history${seq === undefined ? '' : `?event=${seq}`}`}
        title="Show in the client’s history"
        className="block min-w-0 link-hover"
      >
        <NameText name={nodeId} />
      </Link>
      {probe !== undefined && (
        <p className="note leading-4">{probe === 'delta' ? 'delta' : 'SotW'} probe of xdscope, not counted</p>
      )}
    </div>
  ),
});

const state: ClientColumn = column('state', 'Answer', ({ kind }) => kind, {
  description: 'The answer of the client to this push. A NACK stays, whatever the client accepts later',
  widthPx: 128,
  as: (kind, { sentAt }) => {
    const { status, word } = kind === 'behind' && sentAt === undefined ? notSent : marks[kind];
    return <StatusMark status={status} {...(word !== undefined && { word })} />;
  },
});
const notSent = { status: 'REQUESTED', word: 'not sent' } as const;

const sent: ClientColumn = column('sent', 'Sent', ({ sentAt }) => sentAt, {
  description: 'The time from the first observation of the push to its delivery to this client',
  align: 'right',
  widthPx: 90,
  why: 'no stream to this client is observed',
  as: (sentAt, { firstAt }) => <After at={sentAt} since={firstAt} />,
});

const answered: ClientColumn = column('answered', 'Answered', ({ answeredAt }) => answeredAt, {
  description:
    'The time from the first observation of the push to the ACK or NACK of this client; a range if only a poll reported it',
  align: 'right',
  widthPx: 110,
  cell: ({ after, answeredAt, firstAt }) =>
    after !== undefined ? (
      <span title={answeredAt === undefined ? undefined : formatIsoTime(answeredAt)}>
        {formatSpan(after)}
      </span>
    ) : answeredAt === undefined ? (
      <NotReported why="no answer" />
    ) : (
      <After at={answeredAt} since={firstAt} />
    ),
});

const latency: ClientColumn = column('latency', 'Latency', latencyMsOf, {
  as: formatDuration,
  align: 'right',
  widthPx: 84,
  why: 'the stream is not observed, or there is no answer',
  description: 'From the response to the ACK or NACK, as observed on the stream',
});

function latencyMsOf({ sentAt, answeredAt, after }: ClientLine): number | null {
  if (
    sentAt === undefined ||
    answeredAt === undefined ||
    (after !== undefined && after.fromMs !== after.toMs)
  )
    return null;
  return Math.max(0, answeredAt - sentAt);
}

const inEffect: ClientColumn = column('effect', 'In effect', ({ inEffectAt }) => inEffectAt, {
  as: 'ago',
  why: 'not reported',
  description: 'When it took effect, as CSDS or config_dump reports, or inferred from the ACK',
});

const before: ClientColumn = column('before', 'Version before', ({ before: held }) => held?.version, {
  widthPx: 130,
  cell: ({ before: held }) =>
    held === undefined ? (
      <NotReported />
    ) : (
      <div className="min-w-0">
        <NameText name={held.version === '' ? (held.hash?.slice(0, 8) ?? '') : held.version} />
        <div className="note leading-4">
          since <TimeAgo at={held.since} />
        </div>
      </div>
    ),
});

const why: ClientColumn = column('why', 'Error or reason', ({ reason }) => reason, {
  widthPx: 300,
  grows: true,
  cell: (line) => <Reason line={line} />,
});

export const clientColumns: readonly ClientColumn[] = unsorted([
  ...[state, client, sent, answered, latency, inEffect, before, why],
]);

export const narrowClientColumns: readonly ClientColumn[] = unsorted([
  {
    ...client,
    header: 'Client, reason',
    widthPx: 160,
    cell: (line) => (
      <div className="min-w-0">
        {client.cell(line)}
        <p className="truncate note" title={line.reason}>
          {line.text === '' ? line.reason : line.text}
        </p>
      </div>
    ),
  },
  { ...state, widthPx: 104 },
  { ...answered, widthPx: 84 },
]);

function After({ at, since }: { readonly at: EpochMs; readonly since: EpochMs }) {
  const afterMs = Math.max(0, at - since);
  return <span title={formatIsoTime(at)}>{formatSpan({ fromMs: afterMs, toMs: afterMs })}</span>;
}

function Reason({ line: { kind, reason, text, clientId, subject } }: { readonly line: ClientLine }) {
  if (kind === 'accepted') return <span className="text-muted">{reason}</span>;
  const { typeUrl, name } = subject;
  if (kind !== 'rejected' || text === '') {
    return (
      <span className="block truncate text-small" title={`${reason}\n${text}`}>
        {reason}
      </span>
    );
  }
  return (
    <div className="flex min-w-0 flex-col text-small leading-snug" title={`${text}\n${reason}`}>
      <Link
        href={nacksHref(clientId, { typeUrl, ...(name !== undefined && { name }) })}
        className="truncate link-quiet"
      >
        {text}
      </Link>
      <span className="truncate text-muted">{reason}</span>
    </div>
  );
}
