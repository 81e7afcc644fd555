'use client';

import { useMemo } from 'react';
import { countColumn, nameColumn } from '@/app/_components/columns';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import type { SizeItem, SizesAnswer } from '@/lib/api/sizes';
import { formatBytes } from '@/lib/format/bytes';
import { formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import { formatShare } from '@/lib/format/share';
import { formatEach } from '@/lib/view-model/sizes/layout-treemap';
import { NotReported } from '../../../../_components/bytes-text';
import type { DataColumn } from '../../../../_components/data-column';
import { DataTable } from '../../../../_components/data-table';

interface SizesTableProps {
  readonly reported: SizesAnswer;
  /** Opens the next level; undefined if there is none. */
  readonly onOpen: ((key: string) => void) | undefined;
}

const itemId = ({ key }: SizeItem) => key;
const narrowIds: ReadonlySet<string> = new Set(['label', 'bytes', 'share']);
const heads = {
  group: 'Group',
  client: 'Client',
  type: 'Type',
  resource: 'Resource',
  field: 'Field',
} as const;

/** The treemap as a table; Enter opens an item. */
export function SizesTable({ reported, onOpen }: SizesTableProps) {
  const { items, level, total, rest } = reported;
  const whole = level === 'field' ? items.reduce((sum, { bytes }) => sum + bytes, 0) : total.bytes;
  const isNarrow = useIsNarrow();
  const columns = useMemo(() => {
    const wide = columnsOf(level, whole);
    return isNarrow ? wide.filter(({ id }) => narrowIds.has(id)) : wide;
  }, [level, whole, isNarrow]);
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
        <p className="border-t border-line px-4 py-2 note">
          and {formatCounted(rest.items, 'other')} with a total of {formatBytes(rest.bytes)}, at most{' '}
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
  countColumn(({ clients }) => clients?.count ?? 0, { id: 'clients', header: 'Clients', widthPx: 92 }),
  {
    ...{ id: 'each', header: 'Each', widthPx: 168, align: 'right', sortsDescendingFirst: true },
    sortValue: ({ clients }) => clients?.mostBytes ?? null,
    cell: ({ clients }) => clients && formatEach(clients),
  },
];

/** Growth since the first measurement, as in "+1.2 kB". */
function Grown({ bytes, before }: Pick<SizeItem, 'bytes' | 'before'>) {
  const timeZone = useTimeZone();
  if (before === null) return <NotReported why="not measured yet" />;
  const grown = bytes - before.bytes;
  const since = formatExactTime(Date.parse(before.at), timeZone);
  return (
    <span
      title={`${formatBytes(before.bytes)} at the first measurement, ${since}`}
      className={grown === 0 ? 'text-muted' : undefined}
    >
      {grown === 0 ? '0' : `${grown > 0 ? '+' : '−'}${formatBytes(Math.abs(grown))}`}
    </span>
  );
}

function columnsOf(level: SizesAnswer['level'], whole: number): DataColumn<SizeItem>[] {
  return [
    nameColumn(({ label }) => label, { id: 'label', header: heads[level], widthPx: 180 }),
    ...(level === 'group' ? clientsColumns : []),
    countColumn(({ bytes }) => bytes, {
      ...{ id: 'bytes', header: 'Bytes', widthPx: 92, cell: ({ bytes }) => formatBytes(bytes) },
    }),
    ...(level === 'group' || level === 'client' || level === 'type' ? [grownColumn] : []),
    {
      id: 'share',
      header: 'Share',
      widthPx: 72,
      align: 'right',
      cell: ({ bytes }) => (whole === 0 ? '' : formatShare(bytes / whole)),
    },
    countColumn(({ count }) => count, {
      id: 'count',
      header: level === 'field' ? 'Values' : 'Resources',
      widthPx: 112,
    }),
  ];
}
