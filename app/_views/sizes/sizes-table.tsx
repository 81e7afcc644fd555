'use client';

import { useMemo } from 'react';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatBytes } from '@/lib/format/bytes';
import { formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import { formatShare } from '@/lib/format/share';
import { formatEach } from '@/lib/views/sizes/layout-treemap';
import type { SizeItem, SizesAnswer } from '@/lib/views/sizes/schema';

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

const right = { align: 'right', sortsDescendingFirst: true } as const;

const grownColumn: DataColumn<SizeItem> = column('grown', 'Grown', grownBytes, {
  ...right,
  why: 'not measured yet',
  as: (grown, { before }) => before && <Grown grown={grown} before={before} />,
});

function grownBytes({ bytes, before }: SizeItem): number | undefined {
  return before && bytes - before.bytes;
}

const clientsColumns: DataColumn<SizeItem>[] = [
  column('clients', 'Clients', ({ clients }) => clients?.count ?? 0, { as: 'count', widthPx: 92 }),
  column('each', 'Each', ({ clients }) => clients?.mostBytes, {
    ...right,
    widthPx: 168,
    why: null,
    as: (_, { clients }) => clients && formatEach(clients),
  }),
];

/** Growth since the first measurement, as in "+1.2 kB". */
function Grown({
  grown,
  before,
}: {
  readonly grown: number;
  readonly before: NonNullable<SizeItem['before']>;
}) {
  const timeZone = useTimeZone();
  const since = formatExactTime(before.at, timeZone);
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
    column('label', heads[level], ({ label }) => label, {
      as: 'name',
      widthPx: 180,
      grows: true,
      nameOf: ({ label }) => label,
    }),
    ...(level === 'group' ? clientsColumns : []),
    column('bytes', 'Bytes', ({ bytes }) => bytes, { ...right, widthPx: 92, as: formatBytes }),
    ...(level === 'group' || level === 'client' || level === 'type' ? [grownColumn] : []),
    column('share', 'Share', ({ bytes }) => (whole === 0 ? null : bytes / whole), {
      align: 'right',
      widthPx: 72,
      why: null,
      sortValue: undefined,
      as: formatShare,
    }),
    column('count', level === 'field' ? 'Values' : 'Resources', ({ count }) => count, {
      as: 'count',
      widthPx: 112,
    }),
  ];
}
