'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { textColumn } from '@/app/_components/columns';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { NameText } from '@/app/_components/name-text';
import { Pager } from '@/app/_components/pager';
import { QueryContent } from '@/app/_components/query-content';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import type { ReferenceListKind, References } from '@/lib/api/resolved';
import { formatCount } from '@/lib/format/count';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { formatResourceType } from '@/lib/xds/resource-type';
import { useClientViewQuery } from '../use-client-view-query';

type Item = References['items'][number];

const rowsPerPage = 100;
const nothing = {
  dangling: 'No missing references.',
  orphan: 'No unused resources.',
} as const satisfies Record<ReferenceListKind, string>;

interface ReferencesTableProps {
  readonly kind: ReferenceListKind;
}

export function ReferencesTable({ kind }: ReferencesTableProps) {
  const { query } = useClientViewQuery();
  const answer = useQuestion('references', { kind, offset: query.refs, limit: rowsPerPage });
  return (
    <QueryContent query={answer} what="the references" rows={3}>
      {(data) => <Rows kind={kind} references={data} isNext={answer.isPlaceholderData} />}
    </QueryContent>
  );
}

interface RowsProps extends ReferencesTableProps {
  readonly references: References;
  readonly isNext: boolean;
}

function Rows({ kind, references: { items, total }, isNext }: RowsProps) {
  const { query, setQuery, openResource } = useClientViewQuery();
  const isNarrow = useIsNarrow();
  if (total === 0) {
    return <p className="border-t border-line px-4 py-3 text-muted">{nothing[kind]}</p>;
  }
  return (
    <div aria-busy={isNext}>
      <div className="flex items-center px-4 pb-1">
        <p className="note">{formatCount(total)} in all resources of the client</p>
        <Pager
          label="references"
          offset={query.refs}
          limit={rowsPerPage}
          total={total}
          onChange={(refs) => setQuery({ refs }, 'push')}
        />
      </div>
      <DataTable
        label={kind === 'dangling' ? 'Missing references' : 'Unused resources'}
        rows={items}
        columns={isNarrow ? narrowColumns : kind === 'dangling' ? danglingColumns : orphanColumns}
        rowId={formatResourceRef}
        onActivate={openResource}
        detail={isNarrow ? narrowDetail : undefined}
        className="max-h-96 border-t border-line"
      />
    </div>
  );
}

const type: DataColumn<Item> = {
  id: 'type',
  header: 'Type',
  widthPx: 72,
  cell: (row) => <span className="text-muted">{row.service}</span>,
};
const name: DataColumn<Item> = {
  id: 'name',
  header: 'Name',
  widthPx: 220,
  grows: true,
  cell: (row) => <NameText name={row.name} copy />,
};
const usedBy: DataColumn<Item> = {
  id: 'used-by',
  header: 'Referenced by',
  widthPx: 240,
  grows: true,
  cell: ({ usedBy: [first], usedByTotal }) =>
    first === undefined ? null : (
      <span className="flex min-w-0 items-center gap-1.5" title={first.how}>
        <span className="text-[0.8571em] text-muted">{formatResourceType(first.typeUrl)}</span>
        <NameText name={first.name} />
        {usedByTotal > 1 && (
          <span className="whitespace-nowrap text-muted">and {formatCount(usedByTotal - 1)} more</span>
        )}
      </span>
    ),
};
const { sortValue: _, ...reason } = textColumn<Item>((row) => row.reason, {
  id: 'reason',
  header: 'Why',
  widthPx: 280,
});
const danglingColumns = [type, name, usedBy, reason];
const orphanColumns = [type, name, reason];
const narrowColumns = [
  { ...type, widthPx: 60 },
  { ...name, widthPx: 160 },
];

function narrowDetail({ reason: text, usedBy: [first] }: Item) {
  return (
    <p className="note break-words">
      {text}
      {first !== undefined && `; referenced by ${formatResourceType(first.typeUrl)} ${first.name}`}
    </p>
  );
}
