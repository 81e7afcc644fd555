import Link from 'next/link';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { nackHref } from '@/app/_components/nack-href';
import { NameText } from '@/app/_components/name-text';
import { typeColumn } from '@/app/_components/type-column';
import { formatCount } from '@/lib/format/count';
import type { NackGroupRow } from '@/lib/views/nacks/schema';
import { NackStateMark } from './nack-state-mark';

type NackColumn = DataColumn<NackGroupRow>;

export function buildNackColumns(): NackColumn[] {
  return [
    stateColumn,
    typeColumn(),
    resourceColumn,
    reasonColumn,
    clientsColumn,
    timesColumn,
    firstColumn,
    lastColumn,
  ];
}

export function buildNarrowNackColumns(): NackColumn[] {
  return [
    { ...stateColumn, widthPx: 62, cell: ({ state }) => <NackStateMark state={state} word={false} /> },
    narrowColumn,
    { ...lastColumn, widthPx: 92 },
  ];
}

const stateColumn: NackColumn = column(
  'state',
  'State',
  ({ clients, lastAt }) => `${clients.open > clients.terminated ? 2 : clients.open > 0 ? 1 : 0}${lastAt}`,
  {
    description:
      'open: at least one client has not resolved it, whether or not it terminated; resolved: every client accepted another payload, or the resource was removed',
    widthPx: 110,
    sortsDescendingFirst: true,
    cell: ({ state }) => <NackStateMark state={state} />,
  },
);

const resourceColumn: NackColumn = column('resource', 'Resource', ({ name }) => name, {
  widthPx: 190,
  grows: true,
  as: (_, group) => <ResourceLink group={group} />,
});

function ResourceLink({ group }: { readonly group: NackGroupRow }) {
  return (
    <Link href={nackHref(group.id)} className="block min-w-0 font-medium link-hover">
      {group.name === '' ? 'unnamed resource' : <NameText name={group.name} />}
    </Link>
  );
}

const reasonColumn: NackColumn = column('reason', 'Error message', ({ reason }) => reason, {
  widthPx: 320,
  grows: true,
  cell: ({ reason, fieldPath, statements }) => (
    <div className="flex min-w-0 flex-col text-small leading-snug">
      {fieldPath !== undefined && (
        <span className="truncate font-mono text-accent" title={fieldPath}>
          {fieldPath}
        </span>
      )}
      <span className={`break-words ${fieldPath === undefined ? 'line-clamp-2' : 'truncate'}`} title={reason}>
        {reason === '' ? <span className="text-muted">no reason reported</span> : reason}
        {statements > 1 && <span className="text-muted"> and {statements - 1} more</span>}
      </span>
    </div>
  ),
});

const clientsColumn: NackColumn = column('clients', 'Clients', ({ clients }) => clients.total, {
  as: 'count',
  description:
    'Clients at which the NACK is still open, of all that rejected the resource; and how many of them terminated',
  cell: ({ clients, someClients }) => (
    <span title={someClients.map(({ nodeId }) => nodeId).join(', ')}>
      {clients.open > 0 && clients.open < clients.total && `${formatCount(clients.open)} of `}
      {formatCount(clients.total)}
      {clients.leftOut > 0 && '+'}
      {clients.terminated > 0 && (
        <span className="block text-tiny text-muted">{formatCount(clients.terminated)} terminated</span>
      )}
    </span>
  ),
});

const timesColumn: NackColumn = column('times', 'Count', ({ times }) => times, {
  as: 'count',
  description: 'Number of NACKs of all clients',
  widthPx: 72,
});
const firstColumn: NackColumn = column('first', 'First', ({ firstAt }) => firstAt, { as: 'ago' });
const lastColumn: NackColumn = column('last', 'Last', ({ lastAt }) => lastAt, { as: 'ago' });

const narrowColumn: NackColumn = {
  ...resourceColumn,
  widthPx: 200,
  cell: (group) => (
    <div className="min-w-0">
      <span className="flex min-w-0 items-baseline gap-1.5">
        <span className="note">{group.service}</span>
        <ResourceLink group={group} />
      </span>
      <p className="truncate note">{group.reason}</p>
    </div>
  ),
};
