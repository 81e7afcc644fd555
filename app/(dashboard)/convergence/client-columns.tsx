import Link from 'next/link';
import type { ConvergenceClient, ConvergenceSubject, OutcomeKindReported } from '@/lib/api/convergence';
import type { GraphNodeStatus } from '@/lib/api/schema';
import { formatSpan } from '@/lib/format/duration';
import { NotReported } from '../../_components/bytes-text';
import type { DataColumn } from '../../_components/data-column';
import { nacksHref } from '../../_components/nack-href';
import { NameText } from '../../_components/name-text';
import { StatusMark } from '../../_components/status-mark';
import { TimeAgo } from '../../_components/time-ago';

export type ClientLine = ConvergenceClient & { readonly subject: ConvergenceSubject };
type ClientColumn = DataColumn<ClientLine>;

const marks: Readonly<
  Record<OutcomeKindReported, { readonly status: GraphNodeStatus; readonly word: string }>
> = {
  accepted: { status: 'ACKED', word: 'accepted' },
  rejected: { status: 'NACKED', word: 'rejected' },
  silent: { status: 'TIMEOUT', word: 'silent' },
  behind: { status: 'REQUESTED', word: 'behind' },
  unclear: { status: 'UNKNOWN', word: 'unclear' },
  missing: { status: 'DOES_NOT_EXIST', word: 'has none' },
  'passed-over': { status: 'ACKED', word: 'went on' },
  already: { status: 'ACKED', word: 'had it' },
  'joined-later': { status: 'UNKNOWN', word: 'came later' },
  left: { status: 'UNKNOWN', word: 'left' },
};

const client: ClientColumn = {
  id: 'client',
  header: 'Client',
  widthPx: 180,
  grows: true,
  cell: ({ clientId, nodeId, seq }) => (
    <Link
      href={`/clients/${encodeURIComponent(clientId)}/history${seq === null ? '' : `?event=${seq}`}`}
      title="In its history, at that moment"
      className="block min-w-0 hover:text-accent hover:underline"
    >
      <NameText name={nodeId} maxChars={36} />
    </Link>
  ),
};

const state: ClientColumn = {
  id: 'state',
  header: 'State',
  widthPx: 112,
  cell: ({ kind }) => <StatusMark status={marks[kind].status} word={marks[kind].word} />,
};

const after: ClientColumn = {
  id: 'after',
  header: 'Accepted after',
  description: 'From the first sight anywhere; where a poll reported it, between when and when',
  align: 'right',
  widthPx: 140,
  cell: ({ after: span }) => (span === null ? <NotReported why="has not accepted it" /> : formatSpan(span)),
};

const before: ClientColumn = {
  id: 'before',
  header: 'Version before',
  widthPx: 160,
  cell: ({ before: held }) =>
    held === null ? (
      <NotReported />
    ) : (
      <div className="min-w-0">
        <NameText name={held.version} maxChars={24} />
        <div className="text-[0.8571rem] leading-4 text-muted">
          since <TimeAgo iso={held.since} />
        </div>
      </div>
    ),
};

const why: ClientColumn = {
  id: 'why',
  header: 'Why',
  widthPx: 320,
  grows: true,
  cell: (line) => <Reason line={line} />,
};

export const clientColumns: readonly ClientColumn[] = [state, client, after, before, why];

/** A phone reads who, and what became of it. */
export const narrowClientColumns: readonly ClientColumn[] = [
  {
    ...client,
    header: 'Client, why',
    widthPx: 160,
    cell: (line) => (
      <div className="min-w-0">
        {client.cell(line)}
        <p className="truncate text-[0.8571rem] text-muted" title={line.reason}>
          {line.text === '' ? line.reason : line.text}
        </p>
      </div>
    ),
  },
  { ...state, widthPx: 96 },
  { ...after, header: 'After', widthPx: 84 },
];

function Reason({ line: { kind, reason, text, clientId, subject } }: { readonly line: ClientLine }) {
  if (kind === 'accepted') return <span className="text-muted">{reason}</span>;
  const { typeUrl, name } = subject;
  const href = nacksHref(clientId, name === null ? undefined : { typeUrl, name });
  return (
    <div className="flex min-w-0 flex-col text-[0.8571rem] leading-snug" title={`${reason}\n${text}`}>
      <span className="truncate">{kind === 'rejected' && text !== '' ? text : reason}</span>
      {kind === 'rejected' && (
        <span className="truncate text-muted">
          {reason}.{' '}
          <Link href={href} className="text-accent hover:underline">
            Its NACKs
          </Link>
        </span>
      )}
    </div>
  );
}
