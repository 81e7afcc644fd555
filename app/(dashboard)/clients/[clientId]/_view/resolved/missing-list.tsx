'use client';

import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { NameText } from '@/app/_components/name-text';
import { typeColumn } from '@/app/_components/type-column';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import type { MissingItem, Resolved } from '@/lib/api/resolved';
import { formatCount } from '@/lib/format/count';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { useClientViewQuery } from '../use-client-view-query';
import { ResolvedSection } from './resolved-section';

export function MissingList({ resolved: { missing, missingTotal } }: { readonly resolved: Resolved }) {
  const { resource, openResource } = useClientViewQuery();
  const isNarrow = useIsNarrow();
  return (
    <ResolvedSection
      title="Waiting for"
      count={
        missing.length < missingTotal
          ? `the first ${formatCount(missing.length)} of ${formatCount(missingTotal)}`
          : formatCount(missingTotal)
      }
    >
      <DataTable
        label="Missing resources"
        rows={missing}
        columns={isNarrow ? narrowColumns : columns}
        rowId={rowId}
        selectedId={resource === null ? null : formatResourceRef(resource)}
        onActivate={openResource}
        detail={isNarrow ? narrowDetail : undefined}
        className="max-h-72 border-t border-line"
      />
    </ResolvedSection>
  );
}

/** Several resources may need the same one. */
const rowId = (row: MissingItem) => `${formatResourceRef(row)} ${row.neededBy}`;

type Column = DataColumn<MissingItem>;
const type: Column = typeColumn();
const name: Column = column('name', 'Name', (row) => row.name, {
  widthPx: 180,
  grows: true,
  nameOf: (row) => row.name,
  as: (text) => <NameText name={text} copy />,
});
const why: Column = column('why', 'Why', (row) => row.text, { as: 'text', widthPx: 190 });
const neededBy: Column = column('needed-by', 'Needed by', (row) => row.neededBy, {
  as: 'text',
  widthPx: 176,
  grows: false,
});
const since: Column = column('since', 'Since', (row) => row.since, {
  description: 'Last change of the resource’s state; none if the client never subscribed to it',
  as: 'ago',
  why: 'never subscribed',
  sortsDescendingFirst: false,
});
const columns = [type, name, why, neededBy, since];
const narrowColumns = [type, { ...name, widthPx: 140 }, since];

function narrowDetail(row: MissingItem) {
  return (
    <p className="note break-words">
      {row.text}; needed by {row.neededBy}
    </p>
  );
}
