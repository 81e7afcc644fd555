'use client';

import { nameColumn, textColumn, typeColumn } from '@/app/_components/columns';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { TimeAgo } from '@/app/_components/time-ago';
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

const type = typeColumn<MissingItem>();
const name = nameColumn<MissingItem>((row) => row.name, {
  id: 'name',
  header: 'Name',
  widthPx: 180,
  copy: true,
});
const why = textColumn<MissingItem>((row) => row.text, { id: 'why', header: 'Why', widthPx: 190 });
const neededBy = textColumn<MissingItem>((row) => row.neededBy, {
  id: 'needed-by',
  header: 'Needed by',
  widthPx: 176,
  grows: false,
});
const since: DataColumn<MissingItem> = {
  id: 'since',
  header: 'Since',
  description: 'Last change of the resource’s state; none if the client never subscribed to it',
  widthPx: 104,
  align: 'right',
  sortValue: (row) => (row.since === null ? null : Date.parse(row.since)),
  cell: (row) => <TimeAgo iso={row.since} never="never subscribed" />,
};
const columns = [type, name, why, neededBy, since];
const narrowColumns = [type, { ...name, widthPx: 140 }, { ...since, widthPx: 104 }];

function narrowDetail(row: MissingItem) {
  return (
    <p className="note break-words">
      {row.text}; needed by {row.neededBy}
    </p>
  );
}
