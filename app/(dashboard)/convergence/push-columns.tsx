import Link from 'next/link';
import type { ConvergencePush } from '@/lib/api/convergence';
import { formatSpan } from '@/lib/format/duration';
import { convergenceHref } from '../../_components/convergence-href';
import type { DataColumn } from '../../_components/data-column';
import { NameText } from '../../_components/name-text';
import { TimeAgo, timeAgoColumnPx } from '../../_components/time-ago';
import type { Extent } from '../../_hooks/query-keys';
import { ShareBar } from './share-bar';

/** A push as it was known in a time: where it leads looks at the same one. */
export type PushLine = ConvergencePush & { readonly extent: Extent };
type PushColumn = DataColumn<PushLine>;

const what: PushColumn = {
  id: 'what',
  header: 'Version',
  description: 'The version, as its server calls it; a resource where messages carry no version',
  widthPx: 190,
  grows: true,
  cell: ({ subject, extent }) => (
    <Link
      href={convergenceHref(subject, extent)}
      className="block min-w-0 font-medium hover:text-accent hover:underline"
    >
      <NameText name={subject.name ?? subject.version} maxChars={36} />
    </Link>
  ),
};

const type: PushColumn = {
  id: 'type',
  header: 'Type',
  widthPx: 64,
  cell: ({ subject }) => <span title={subject.typeUrl}>{subject.service}</span>,
};

const changed: PushColumn = {
  id: 'changed',
  header: 'Brought',
  description: 'Resources that were new to a client',
  widthPx: 210,
  grows: true,
  cell: (push) => <Brought push={push} />,
};

const share: PushColumn = {
  id: 'share',
  header: 'Accepted by',
  description: 'Clients that accepted it, of those that were sent it or hold what it changed',
  widthPx: 190,
  cell: ({ spread }) => <ShareBar spread={spread} />,
};

const p99: PushColumn = {
  id: 'p99',
  header: 'p99',
  description: 'Until 99 % of all clients had accepted; not reached: too many have not',
  align: 'right',
  widthPx: 148,
  cell: ({ p99: span }) => (
    <span className={span === null ? 'text-muted' : undefined}>{formatSpan(span)}</span>
  ),
};

const seen: PushColumn = {
  id: 'seen',
  header: 'First seen',
  align: 'right',
  widthPx: timeAgoColumnPx,
  cell: ({ firstAt }) => <TimeAgo iso={firstAt} />,
};

const server: PushColumn = {
  id: 'server',
  header: 'Server',
  description: 'The control plane that sent it, as it identifies itself, or the source that saw it',
  widthPx: 130,
  cell: ({ subject }) =>
    subject.server === null ? (
      <span className="text-muted">not reported</span>
    ) : (
      <NameText name={subject.server} maxChars={22} />
    ),
};

export const pushColumns: readonly PushColumn[] = [type, what, changed, server, share, p99, seen];

/** A phone reads what, how far, and when. */
export const narrowPushColumns: readonly PushColumn[] = [
  {
    ...what,
    header: 'Push',
    widthPx: 104,
    cell: (push) => (
      <div className="min-w-0">
        {what.cell(push)}
        <p className="truncate text-[0.8571rem] text-muted">{push.subject.service}</p>
      </div>
    ),
  },
  { ...share, widthPx: 156 },
  { ...seen, header: 'Seen', widthPx: 88 },
];

function Brought({ push: { names, nameCount, isUnchanged } }: { readonly push: ConvergencePush }) {
  if (isUnchanged) return <span className="text-muted">nothing new: the same content again</span>;
  const [first = ''] = names;
  return (
    <span className="flex min-w-0 items-baseline gap-1" title={names.join('\n')}>
      <NameText name={first} maxChars={34} />
      {nameCount > 1 && <span className="whitespace-nowrap text-muted">and {nameCount - 1} more</span>}
    </span>
  );
}
