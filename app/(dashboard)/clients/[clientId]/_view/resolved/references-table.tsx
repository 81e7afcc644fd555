'use client';

import { useQuestion } from '@/app/_ask/use-question';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { ErrorState } from '@/app/_components/error-state';
import { NameText } from '@/app/_components/name-text';
import { Pager } from '@/app/_components/pager';
import { Skeleton } from '@/app/_components/skeleton';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import type { ReferenceListKind, References } from '@/lib/api/resolved';
import { formatCount } from '@/lib/format/count';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { formatResourceType } from '@/lib/xds/resource-type';
import { useClientViewQuery } from '../use-client-view-query';

type Item = References['items'][number];

const rowsPerPage = 100;
const nothing = {
  dangling: 'Every name that a resource refers to is held by the client.',
  orphan: 'Every resource that the client holds is named by another one, or is where resolving begins.',
} as const satisfies Record<ReferenceListKind, string>;

/** What is named and not there, or what is there and nobody names: of all that the client holds. */
export function ReferencesTable({ kind }: { readonly kind: ReferenceListKind }) {
  const { query, setQuery, openResource } = useClientViewQuery();
  const isNarrow = useIsNarrow();
  const offset = query.refs;
  const answer = useQuestion('references', { kind, offset, limit: rowsPerPage });
  if (answer.data === undefined) {
    return answer.isError ? (
      <ErrorState
        title="The references could not be read"
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    ) : (
      <Skeleton waitsFor="the references" rows={3} />
    );
  }
  const { items, total } = answer.data;
  if (total === 0) {
    return <p className="border-t border-line px-4 py-3 text-muted">{nothing[kind]}</p>;
  }
  return (
    <div aria-busy={answer.isPlaceholderData}>
      <div className="flex items-center px-4 pb-1">
        <p className="text-[0.8571rem] text-muted">
          {formatCount(total)} in all that the client holds, whatever the listener
        </p>
        <Pager
          label="references"
          offset={offset}
          limit={rowsPerPage}
          total={total}
          onChange={(refs) => setQuery({ refs }, 'push')}
        />
      </div>
      <DataTable
        label={kind === 'dangling' ? 'Dangling references' : 'Orphans'}
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
  cell: (row) => <NameText name={row.name} maxChars={56} copy />,
};
const usedBy: DataColumn<Item> = {
  id: 'used-by',
  header: 'Named by',
  widthPx: 240,
  grows: true,
  cell: ({ usedBy: [first], usedByTotal }) =>
    first === undefined ? null : (
      <span className="flex min-w-0 items-center gap-1.5" title={first.how}>
        <span className="text-[0.8571em] text-muted">{formatResourceType(first.typeUrl)}</span>
        <NameText name={first.name} maxChars={40} />
        {usedByTotal > 1 && (
          <span className="whitespace-nowrap text-muted">and {formatCount(usedByTotal - 1)} more</span>
        )}
      </span>
    ),
};
const reason: DataColumn<Item> = {
  id: 'reason',
  header: 'Why',
  widthPx: 280,
  grows: true,
  cell: (row) => (
    <span className="block truncate" title={row.reason}>
      {row.reason}
    </span>
  ),
};
const danglingColumns = [type, name, usedBy, reason];
const orphanColumns = [type, name, reason];
const narrowColumns = [
  { ...type, widthPx: 60 },
  { ...name, widthPx: 160 },
];

function narrowDetail({ reason: text, usedBy: [first] }: Item) {
  return (
    <p className="text-[0.8571rem] break-words text-muted">
      {text}
      {first !== undefined && `; named by ${formatResourceType(first.typeUrl)} ${first.name}`}
    </p>
  );
}
