import Link from 'next/link';
import { StatusMark } from '@/app/_components/status-mark';
import type { ConvergencePush } from '@/lib/api/convergence';
import { formatCount } from '@/lib/format/count';
import { formatSpan } from '@/lib/format/duration';
import type { DataColumn } from '../../_components/data-column';
import { NameText } from '../../_components/name-text';
import { pushHref } from '../../_components/push-href';
import { TimeAgo, timeAgoColumnPx } from '../../_components/time-ago';
import type { Extent } from '../../_hooks/query-keys';

export type PushLine = ConvergencePush & { readonly extent: Extent };
type PushColumn = DataColumn<PushLine>;

const what: PushColumn = {
  id: 'what',
  header: 'Version',
  description: 'Version of the push; the resource, if messages carry no version',
  widthPx: 190,
  grows: true,
  cell: ({ subject, extent }) => (
    <Link href={pushHref(subject, extent)} className="block min-w-0 font-medium link-hover">
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
  header: 'Resources',
  description: 'Resources that were new to at least one client',
  widthPx: 210,
  grows: true,
  cell: (push) => <Brought push={push} />,
};

const share: PushColumn = {
  id: 'share',
  header: 'ACKed by',
  description: 'Clients that ACKed the push, of those that were sent it or hold a resource that it changed',
  widthPx: 190,
  cell: ({ spread }) => <ShareBar spread={spread} />,
};

const p99: PushColumn = {
  id: 'p99',
  header: 'p99',
  description: 'Time until 99% of all clients had ACKed; not reached: more than 1% have not',
  align: 'right',
  widthPx: 148,
  cell: ({ p99: span }) => (
    <span className={span === null ? 'text-muted' : undefined}>{formatSpan(span)}</span>
  ),
};

const seen: PushColumn = {
  id: 'seen',
  header: 'Pushed',
  align: 'right',
  widthPx: timeAgoColumnPx,
  cell: ({ firstAt }) => <TimeAgo iso={firstAt} />,
};

const server: PushColumn = {
  id: 'server',
  header: 'Server',
  description: 'The control plane by its own identifier, or the source that saw the push',
  widthPx: 130,
  cell: ({ subject }) =>
    subject.server === null ? (
      <span className="text-muted">not reported</span>
    ) : (
      <NameText name={subject.server} maxChars={22} />
    ),
};

export const pushColumns: readonly PushColumn[] = [type, what, changed, server, share, p99, seen];

export const narrowPushColumns: readonly PushColumn[] = [
  {
    ...what,
    header: 'Push',
    widthPx: 104,
    cell: (push) => (
      <div className="min-w-0">
        {what.cell(push)}
        <p className="truncate note">{push.subject.service}</p>
      </div>
    ),
  },
  { ...share, widthPx: 156 },
  { ...seen, header: 'Seen', widthPx: 88 },
];

function Brought({ push: { names, nameCount, kind } }: { readonly push: ConvergencePush }) {
  if (kind === 'redundant' && nameCount === 0) return <span className="text-muted">no-op push</span>;
  const [first = ''] = names;
  return (
    <span className="flex min-w-0 items-baseline gap-1" title={names.join('\n')}>
      <NameText name={first} maxChars={34} />
      {nameCount > 1 && <span className="whitespace-nowrap text-muted">and {nameCount - 1} more</span>}
    </span>
  );
}

/** ACKed and counted clients as a bar and as numbers, with the number of NACKs. */
function ShareBar({ spread }: { readonly spread: ConvergencePush['spread'] }) {
  const { accepted, total, counts } = spread;
  const part = total === 0 ? 0 : (accepted / total) * 100;
  const rejected = total === 0 ? 0 : (counts.rejected / total) * 100;
  return (
    <div className="flex min-w-0 items-center gap-2 tabular-nums">
      <span
        aria-hidden="true"
        className="flex h-2 min-w-10 flex-1 overflow-hidden rounded-full border border-line-strong bg-sunken"
      >
        <span className="bg-acked" style={{ width: `${part}%` }} />
        <span className="bg-nacked" style={{ width: `${rejected}%` }} />
      </span>
      <span className="whitespace-nowrap">
        {formatCount(accepted)} of {formatCount(total)}
      </span>
      {counts.rejected > 0 && (
        <StatusMark status="NACKED" word={String(counts.rejected)} sizePx={10} className="text-small" />
      )}
    </div>
  );
}
