'use client';

import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { NameText } from '@/app/_components/name-text';
import { TimeAgo } from '@/app/_components/time-ago';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import type { MissingItem, Resolved } from '@/lib/api/resolved';
import { formatCount } from '@/lib/format/count';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { useClientViewQuery } from '../use-client-view-query';
import { ResolvedSection } from './resolved-section';

/** What publication waits for, and who needs it. */
export function MissingList({ resolved: { missing, missingTotal } }: { readonly resolved: Resolved }) {
  const { resource, openResource } = useClientViewQuery();
  const isNarrow = useIsNarrow();
  return (
    <ResolvedSection
      title="Waits for"
      count={
        missing.length < missingTotal
          ? `the first ${formatCount(missing.length)} of ${formatCount(missingTotal)}`
          : formatCount(missingTotal)
      }
    >
      <DataTable
        label="What it waits for"
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

/** One resource may be needed twice. */
const rowId = (row: MissingItem) => `${formatResourceRef(row)} ${row.neededBy}`;

const type: DataColumn<MissingItem> = {
  id: 'type',
  header: 'Type',
  widthPx: 60,
  cell: (row) => <span className="text-muted">{row.service}</span>,
};
const name: DataColumn<MissingItem> = {
  id: 'name',
  header: 'Name',
  widthPx: 180,
  grows: true,
  sortValue: (row) => row.name,
  cell: (row) => <NameText name={row.name} maxChars={56} copy />,
};
const why: DataColumn<MissingItem> = {
  id: 'why',
  header: 'Why',
  widthPx: 190,
  grows: true,
  cell: (row) => (
    <span className="block truncate" title={row.text}>
      {row.text}
    </span>
  ),
};
const neededBy: DataColumn<MissingItem> = {
  id: 'needed-by',
  header: 'Needed by',
  widthPx: 176,
  cell: (row) => (
    <span className="block truncate" title={row.neededBy}>
      {row.neededBy}
    </span>
  ),
};
const since: DataColumn<MissingItem> = {
  id: 'since',
  header: 'Since',
  description: 'When the resource’s state changed last; none where the client was never heard to ask for it',
  widthPx: 104,
  align: 'right',
  sortValue: (row) => (row.since === null ? null : Date.parse(row.since)),
  cell: (row) => <TimeAgo iso={row.since} never="never asked for" />,
};
const columns = [type, name, why, neededBy, since];
const narrowColumns = [
  { ...type, widthPx: 60 },
  { ...name, widthPx: 140 },
  { ...since, widthPx: 104 },
];

function narrowDetail(row: MissingItem) {
  return (
    <p className="text-[0.8571rem] break-words text-muted">
      {row.text}; needed by {row.neededBy}
    </p>
  );
}
