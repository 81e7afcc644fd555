'use client';

import { useMemo } from 'react';
import type { SizeItem, SizesAnswer } from '@/lib/api/sizes';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import { formatEach } from '@/lib/view-model/sizes/layout-treemap';
import { browserTimeZone } from '../../../../_components/browser-time-zone';
import { NotReported } from '../../../../_components/bytes-text';
import type { DataColumn } from '../../../../_components/data-column';
import { DataTable } from '../../../../_components/data-table';
import { NameText } from '../../../../_components/name-text';

interface SizesTableProps {
  readonly reported: SizesAnswer;
  /** Leads to the next level; undefined: there is none. */
  readonly onOpen: ((key: string) => void) | undefined;
}

const itemId = ({ key }: SizeItem) => key;
const heads = {
  group: 'Group',
  client: 'Client',
  type: 'Type',
  resource: 'Resource',
  field: 'Field',
} as const;

/** The same as the picture, in numbers and by keys: Enter opens what an item is made of. */
export function SizesTable({ reported, onOpen }: SizesTableProps) {
  const { items, level, total, rest } = reported;
  const whole = level === 'field' ? items.reduce((sum, { bytes }) => sum + bytes, 0) : total.bytes;
  const columns = useMemo(() => columnsOf(level, whole), [level, whole]);
  const activate = useMemo(() => onOpen && (({ key }: SizeItem) => onOpen(key)), [onOpen]);
  return (
    <>
      <DataTable
        label={`Bytes by ${level}`}
        rows={items}
        columns={columns}
        rowId={itemId}
        onActivate={activate}
        className="max-h-96 border-t border-line"
      />
      {rest.items > 0 && (
        <p className="border-t border-line px-4 py-2 text-[0.8571rem] text-muted">
          and {formatCounted(rest.items, 'other')} with {formatBytes(rest.bytes)} together, at most{' '}
          {formatBytes(rest.largestBytes)} each
        </p>
      )}
    </>
  );
}

const grownColumn: DataColumn<SizeItem> = {
  ...{ id: 'grown', header: 'Grown', widthPx: 96, align: 'right', sortsDescendingFirst: true },
  sortValue: ({ bytes, before }) => (before === null ? null : bytes - before.bytes),
  cell: ({ bytes, before }) => <Grown bytes={bytes} before={before} />,
};

const clientsColumns: DataColumn<SizeItem>[] = [
  {
    ...{ id: 'clients', header: 'Clients', widthPx: 92, align: 'right', sortsDescendingFirst: true },
    sortValue: ({ clients }) => clients?.count ?? null,
    cell: ({ clients }) => formatCount(clients?.count ?? 0),
  },
  {
    ...{ id: 'each', header: 'Each', widthPx: 168, align: 'right', sortsDescendingFirst: true },
    sortValue: ({ clients }) => clients?.mostBytes ?? null,
    cell: ({ clients }) => clients && formatEach(clients),
  },
];

/** Since xdscope first measured it: "+1.2 kB"; what it was on hover. */
function Grown({ bytes, before }: Pick<SizeItem, 'bytes' | 'before'>) {
  if (before === null) return <NotReported why="not measured yet" />;
  const grown = bytes - before.bytes;
  const since = formatExactTime(Date.parse(before.at), browserTimeZone());
  return (
    <span
      title={`${formatBytes(before.bytes)} when it was first measured, ${since}`}
      className={grown === 0 ? 'text-muted' : undefined}
    >
      {grown === 0 ? '0' : `${grown > 0 ? '+' : '−'}${formatBytes(Math.abs(grown))}`}
    </span>
  );
}

function columnsOf(level: SizesAnswer['level'], whole: number): DataColumn<SizeItem>[] {
  const share = (bytes: number) => (whole === 0 ? '' : `${((100 * bytes) / whole).toPrecision(2)} %`);
  return [
    {
      ...{ id: 'label', header: heads[level], widthPx: 180, grows: true, sortValue: ({ label }) => label },
      cell: ({ label }) => <NameText name={label} maxChars={72} />,
    },
    ...(level === 'group' ? clientsColumns : []),
    {
      ...{ id: 'bytes', header: 'Bytes', widthPx: 92, align: 'right', sortsDescendingFirst: true },
      sortValue: ({ bytes }) => bytes,
      cell: ({ bytes }) => formatBytes(bytes),
    },
    ...(level === 'group' || level === 'client' || level === 'type' ? [grownColumn] : []),
    { id: 'share', header: 'Share', widthPx: 72, align: 'right', cell: ({ bytes }) => share(bytes) },
    {
      ...{ id: 'count', header: level === 'field' ? 'Values' : 'Resources', widthPx: 112, align: 'right' },
      ...{ sortsDescendingFirst: true, sortValue: ({ count }) => count },
      cell: ({ count }) => formatCount(count),
    },
  ];
}
