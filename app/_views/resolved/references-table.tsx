'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { NameText } from '@/app/_components/name-text';
import { Pager } from '@/app/_components/pager';
import { QueryContent } from '@/app/_components/query-content';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { formatCount } from '@/lib/format/count';
import type { ReferenceListKind, References } from '@/lib/views/resolved/schema';
import { formatResourceRef } from '@/lib/views/resources/resource-ref';
import { formatResourceType } from '@/lib/xds/resource-type';
import { useClientViewQuery } from '../client/use-client-view-query';
import { resolvedParams } from './search-params';

type Item = References['items'][number];

const rowsPerPage = 100;
const nothing = {
  dangling: 'No missing references.',
  orphan: 'No unused resources.',
  dynamic: 'No clusters that are subscribed dynamically.',
} as const satisfies Record<ReferenceListKind, string>;

export const titles = {
  dangling: 'Missing references',
  orphan: 'Unused resources',
  dynamic: 'Subscribed dynamically',
} as const satisfies Record<ReferenceListKind, string>;

interface ReferencesTableProps {
  readonly kind: ReferenceListKind;
}

export function ReferencesTable({ kind }: ReferencesTableProps) {
  const { query } = useClientViewQuery(resolvedParams);
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
  const { query, setQuery, openResource } = useClientViewQuery(resolvedParams);
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
        label={titles[kind]}
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

type Column = DataColumn<Item>;
const type: Column = column('type', 'Type', (row) => row.service, {
  widthPx: 72,
  as: (service) => <span className="text-muted">{service}</span>,
});
const name: Column = column('name', 'Name', (row) => row.name, {
  widthPx: 220,
  grows: true,
  as: (text) => <NameText name={text} copy />,
});
const usedBy: Column = {
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
const reason: Column = column('reason', 'Why', (row) => row.reason, { as: 'text', widthPx: 280 });
const danglingColumns = unsorted([type, name, usedBy, reason]);
const orphanColumns = unsorted([type, name, reason]);
const narrowColumns = unsorted([
  { ...type, widthPx: 60 },
  { ...name, widthPx: 160 },
]);

function narrowDetail({ reason: text, usedBy: [first] }: Item) {
  return (
    <p className="note break-words">
      {text}
      {first !== undefined && `; referenced by ${formatResourceType(first.typeUrl)} ${first.name}`}
    </p>
  );
}
