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
  missing: { status: 'DOES_NOT_EXIST', word: 'missing' },
  'passed-over': { status: 'ACKED', word: 'accepted newer' },
  already: { status: 'ACKED', word: 'unchanged' },
  different: { status: 'UNKNOWN', word: 'own content' },
  'joined-later': { status: 'UNKNOWN', word: 'joined later' },
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
      title="Show in the client’s history"
      className="block min-w-0 link-hover"
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
  description: 'Time since the push was first seen; a range, if a poll reported it',
  align: 'right',
  widthPx: 140,
  cell: ({ after: span }) => (span === null ? <NotReported why="not accepted" /> : formatSpan(span)),
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
        <div className="note leading-4">
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

export const narrowClientColumns: readonly ClientColumn[] = [
  {
    ...client,
    header: 'Client, why',
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
  { ...state, widthPx: 96 },
  { ...after, header: 'After', widthPx: 84 },
];

function Reason({ line: { kind, reason, text, clientId, subject } }: { readonly line: ClientLine }) {
  if (kind === 'accepted') return <span className="text-muted">{reason}</span>;
  const { typeUrl, name } = subject;
  const href = nacksHref(clientId, name === null ? undefined : { typeUrl, name });
  return (
    <div className="flex min-w-0 flex-col text-small leading-snug" title={`${reason}\n${text}`}>
      <span className="truncate">{kind === 'rejected' && text !== '' ? text : reason}</span>
      {kind === 'rejected' && (
        <span className="truncate text-muted">
          {reason}.{' '}
          <Link href={href} className="link-quiet">
            Its NACKs
          </Link>
        </span>
      )}
    </div>
  );
}
