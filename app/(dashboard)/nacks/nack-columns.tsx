import Link from 'next/link';
import { countColumn, timeColumn, typeColumn } from '@/app/_components/columns';
import type { NackGroupRow } from '@/lib/api/nacks';
import { formatCount } from '@/lib/format/count';
import type { DataColumn } from '../../_components/data-column';
import { nackHref } from '../../_components/nack-href';
import { NameText } from '../../_components/name-text';
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

const stateColumn: NackColumn = {
  id: 'state',
  header: 'State',
  description:
    'open: at least one client has not resolved it, whether or not it terminated; resolved: every client accepted another payload, or the resource was removed',
  widthPx: 110,
  sortValue: ({ clients, lastAt }) =>
    `${clients.open > clients.terminated ? 2 : clients.open > 0 ? 1 : 0}${lastAt}`,
  sortsDescendingFirst: true,
  cell: ({ state }) => <NackStateMark state={state} />,
};

const resourceColumn: NackColumn = {
  id: 'resource',
  header: 'Resource',
  widthPx: 190,
  grows: true,
  sortValue: ({ name }) => name,
  cell: (group) => <ResourceLink group={group} />,
};

function ResourceLink({ group }: { readonly group: NackGroupRow }) {
  return (
    <Link href={nackHref(group.id)} className="block min-w-0 font-medium link-hover">
      {group.name === '' ? 'unnamed resource' : <NameText name={group.name} />}
    </Link>
  );
}

const reasonColumn: NackColumn = {
  id: 'reason',
  header: 'Error message',
  widthPx: 320,
  grows: true,
  sortValue: ({ reason }) => reason,
  cell: ({ reason, fieldPath, statements }) => (
    <div className="flex min-w-0 flex-col text-small leading-snug">
      {fieldPath !== null && (
        <span className="truncate font-mono text-accent" title={fieldPath}>
          {fieldPath}
        </span>
      )}
      <span className={`break-words ${fieldPath === null ? 'line-clamp-2' : 'truncate'}`} title={reason}>
        {reason === '' ? <span className="text-muted">no reason reported</span> : reason}
        {statements > 1 && <span className="text-muted"> and {statements - 1} more</span>}
      </span>
    </div>
  ),
};

const clientsColumn: NackColumn = {
  id: 'clients',
  header: 'Clients',
  description:
    'Clients at which the NACK is still open, of all that rejected the resource; and how many of them terminated',
  align: 'right',
  widthPx: 96,
  sortsDescendingFirst: true,
  sortValue: ({ clients }) => clients.total,
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
};

const timesColumn = countColumn<NackGroupRow>(({ times }) => times, {
  id: 'times',
  header: 'Count',
  description: 'Number of NACKs of all clients',
  widthPx: 72,
});
const firstColumn = timeColumn<NackGroupRow>(({ firstAt }) => firstAt, { id: 'first', header: 'First' });
const lastColumn = timeColumn<NackGroupRow>(({ lastAt }) => lastAt, { id: 'last', header: 'Last' });

const narrowColumn: NackColumn = {
  id: 'resource',
  header: 'Resource',
  widthPx: 200,
  grows: true,
  sortValue: ({ name }) => name,
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
