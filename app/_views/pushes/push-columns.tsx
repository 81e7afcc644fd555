import Link from 'next/link';
import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DiffPreview } from '@/app/_components/diff-preview';
import { HoverCard } from '@/app/_components/hover-card';
import { NameText } from '@/app/_components/name-text';
import { pushHref } from '@/app/_components/push-href';
import { StatusMark } from '@/app/_components/status-mark';
import type { Extent } from '@/app/_hooks/extent';
import { formatCount } from '@/lib/format/count';
import { formatSpan } from '@/lib/format/duration';
import { countUnsettled, describePushKind, stateOfPush } from '@/lib/views/pushes/push-state';
import type { ConvergencePush } from '@/lib/views/pushes/schema';
import type { State } from '@/lib/xds/status';

export type PushLine = ConvergencePush & { readonly extent: Extent };
type PushColumn = DataColumn<PushLine>;

const state: PushColumn = column('state', 'State', ({ spread }) => stateOfPush(spread), {
  description: 'The worst that a client did with the push. A NACK stays, whatever the client accepts later',
  widthPx: 128,
  as: (status) => <StatusMark status={status} />,
});

const type: PushColumn = column('type', 'Type', ({ subject }) => subject.service, {
  widthPx: 60,
  as: (service, { subject }) => <span title={subject.typeUrl}>{service}</span>,
});

const version: PushColumn = column('version', 'Version', ({ subject }) => subject.version, {
  description:
    'version_info of the response; the resource, if responses carry no version. Redundant: no client received other content than it had. Revert: the content is that of an earlier version',
  widthPx: 130,
  grows: true,
  cell: (push) => <Version push={push} />,
});

const resources: PushColumn = {
  id: 'resources',
  header: 'Resources',
  description:
    'Resources that were new to at least one client; hover for the difference to the version before',
  widthPx: 220,
  grows: true,
  cell: (push) => <ChangedResources push={push} />,
};

const sent = answerColumn('sent', 'Sent', 'REQUESTED', ({ spread }) => spread.sent, {
  description:
    'Clients that are known to have been sent the push. Clients that connected later, and accepted what they were sent, are not counted in any column',
  titleOf: ({ spread }) => `sent to ${spread.sent} of ${spread.total} clients that it concerns`,
});

const acked = answerColumn('acked', 'ACKED', 'ACKED', ({ spread }) => spread.accepted, {
  description: 'Clients that ACKed the push',
});

const nacked = answerColumn('nacked', 'NACKED', 'NACKED', ({ spread }) => spread.counts.rejected, {
  description: 'Clients that NACKed the push, whatever they accepted later',
  widthPx: 84,
  titleOf: ({ nackedBy, spread }) => {
    const later =
      spread.recovered === 0 ? '' : `\n${spread.recovered} of them later ACKED what they had rejected`;
    return `${namesOf(nackedBy, spread.counts.rejected)}${later}`;
  },
});

const inEffect = answerColumn('effect', 'In effect', 'ACTIVE', ({ spread }) => spread.inEffect, {
  description: 'Clients in which it took effect, as CSDS or config_dump reports, or inferred from the ACK',
});

const unsettled: PushColumn = {
  id: 'stuck',
  header: 'Waiting, stuck',
  description: 'Clients that have not answered, have an older content, or are no longer reported',
  align: 'right',
  widthPx: 116,
  cell: (push) => <Unsettled push={push} />,
};

const probes: PushColumn = {
  id: 'probes',
  header: 'Probes',
  description: 'Probes of xdscope that ACKed it, of those that were sent it. They are not counted as clients',
  align: 'right',
  widthPx: 72,
  cell: ({ spread: { probes: counts } }) =>
    counts.total === 0 ? (
      <span className="text-muted">none</span>
    ) : (
      <span className={counts.rejected > 0 ? 'text-nacked' : 'text-muted'}>
        {counts.accepted}/{counts.total}
      </span>
    ),
};

const p99: PushColumn = {
  id: 'p99',
  header: 'p99',
  description: 'Time until 99% of the clients had ACKed; not reached: more than 1% have not',
  align: 'right',
  widthPx: 132,
  cell: ({ p99: span }) => (
    <span className={span === undefined ? 'text-muted' : undefined}>{formatSpan(span)}</span>
  ),
};

const pushed: PushColumn = column('pushed', 'Pushed', ({ firstAt }) => firstAt, { as: 'ago' });

const server: PushColumn = column('server', 'Server', ({ subject }) => subject.server ?? '', {
  description: 'The control plane by its own identifier, or the source that saw the push',
  widthPx: 110,
  as: (name) => (name === '' ? <span className="text-muted">Not reported</span> : <NameText name={name} />),
});

export const pushColumns: readonly PushColumn[] = unsorted([
  ...[state, type, version, resources, server],
  ...[sent, acked, nacked, inEffect, unsettled, probes, p99, pushed],
]);

export const narrowPushColumns: readonly PushColumn[] = unsorted([
  {
    ...version,
    header: 'Push',
    widthPx: 96,
    cell: (push) => (
      <div className="min-w-0">
        <Version push={push} />
        <p className="truncate note">{push.subject.service}</p>
      </div>
    ),
  },
  {
    ...state,
    widthPx: 128,
    cell: ({ spread }) => (
      <div className="min-w-0">
        <StatusMark status={stateOfPush(spread)} />
        <p className="truncate note tabular-nums">
          {spread.accepted} of {spread.total} ACKED
        </p>
      </div>
    ),
  },
  { ...pushed, widthPx: 88 },
]);

interface AnswerColumnOptions {
  readonly description: string;
  readonly widthPx?: number;
  readonly titleOf?: (push: PushLine) => string;
}

/** A count with the glyph of its answer; a zero is muted. */
function answerColumn(
  id: string,
  header: string,
  status: State,
  countOf: (push: PushLine) => number,
  { description, widthPx = 74, titleOf }: AnswerColumnOptions,
): PushColumn {
  return column(id, header, countOf, {
    description,
    align: 'right',
    widthPx,
    as: (count, push) => (
      <span title={titleOf?.(push)}>
        {count === 0 ? (
          <span className="text-muted">0</span>
        ) : (
          <StatusMark status={status} word={formatCount(count)} sizePx={10} />
        )}
      </span>
    ),
  });
}

function Version({ push }: { readonly push: PushLine }) {
  const { subject, extent } = push;
  const mark = describePushKind(push);
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <Link href={pushHref(subject, extent)} className="block min-w-0 font-medium link-hover">
        <NameText name={subject.name ?? subject.version} />
      </Link>
      {mark !== '' && (
        <span className="shrink-0 rounded-sm border border-line-strong/60 px-1 text-tiny text-muted">
          {mark}
        </span>
      )}
    </span>
  );
}

function Unsettled({ push: { stuck, spread } }: { readonly push: ConvergencePush }) {
  const count = countUnsettled(spread);
  const [first] = stuck;
  if (first === undefined) return <span className="text-muted">0</span>;
  return (
    <span className="flex min-w-0 items-baseline justify-end gap-1" title={namesOf(stuck, count)}>
      <NameText name={first.nodeId} />
      {count > 1 && <span className="whitespace-nowrap text-muted">and {formatCount(count - 1)} more</span>}
    </span>
  );
}

function namesOf(clients: ConvergencePush['stuck'], total: number): string {
  const names = clients.map(({ nodeId }) => nodeId).join('\n');
  return total > clients.length ? `${names}\nand ${formatCount(total - clients.length)} more` : names;
}

/** The resources of a push, with the difference to what a client had before on hover and focus. */
function ChangedResources({ push }: { readonly push: ConvergencePush }) {
  const { names, nameCount, changes, removed } = push;
  const [first] = nameCount === 0 ? removed : names;
  if (first === undefined) return <span className="text-muted">unchanged</span>;
  const more = Math.max(nameCount, removed.length) - 1;
  const text = (
    <span className="flex min-w-0 items-baseline gap-1">
      <NameText name={first} />
      {nameCount === 0 && <span className="text-muted">deleted</span>}
      {more > 0 && (
        <span className="shrink-0 text-muted" title={`and ${formatCount(more)} more`}>
          +{formatCount(more)}
        </span>
      )}
    </span>
  );
  const changed = changes.filter(({ hash, before }) => before !== undefined && before.hash !== hash);
  const [shown] = changed;
  if (shown?.before == null) return text;
  return (
    <HoverCard
      label={`What changed in ${shown.name}`}
      card={
        <DiffPreview name={shown.name} hash={shown.hash} before={shown.before} others={changed.length - 1} />
      }
    >
      {text}
    </HoverCard>
  );
}
