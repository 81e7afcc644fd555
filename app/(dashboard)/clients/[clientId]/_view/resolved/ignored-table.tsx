'use client';

import { useCallback } from 'react';
import { nameColumn, textColumn } from '@/app/_components/columns';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { NameText } from '@/app/_components/name-text';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import type { IgnoredItem, Resolved } from '@/lib/api/resolved';
import { formatCount } from '@/lib/format/count';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { nameOf } from '@/lib/xds/profile';
import { formatResourceType } from '@/lib/xds/resource-type';
import { useClientViewQuery } from '../use-client-view-query';

/** Endpoints and filters are described without a field path. */
const fieldPath = /^[A-Za-z][\w.[\]]*$/;

/** Fields without effect, with reason and rule. */
export function IgnoredTable({ resolved }: { readonly resolved: Resolved }) {
  const { openResource } = useClientViewQuery();
  const isNarrow = useIsNarrow();
  const { ignored, ignoredTotal, profile } = resolved;
  const open = useCallback(
    (item: IgnoredItem) => openResource(item, fieldPath.test(item.path) ? item.path : ''),
    [openResource],
  );
  if (ignored.length === 0) {
    return (
      <p className="border-t border-line px-4 py-3 text-muted">
        {nameOf(profile)} ignores no part of this config.
      </p>
    );
  }
  return (
    <>
      <DataTable
        label="Ignored fields"
        rows={ignored}
        columns={isNarrow ? narrowColumns : columns}
        rowId={rowId}
        onActivate={open}
        detail={isNarrow ? narrowDetail : undefined}
        className="max-h-96 border-t border-line"
      />
      {ignored.length < ignoredTotal && (
        <p className="border-t border-line px-4 py-1.5 note">
          The first {formatCount(ignored.length)} of {formatCount(ignoredTotal)}.
        </p>
      )}
    </>
  );
}

const rowId = (row: IgnoredItem) => `${formatResourceRef(row)} ${row.part} ${row.path} ${row.reason}`;

const part: DataColumn<IgnoredItem> = {
  id: 'part',
  header: 'Part',
  widthPx: 108,
  sortValue: (row) => row.part,
  cell: (row) => row.part.replaceAll('-', ' '),
};
const resource: DataColumn<IgnoredItem> = {
  id: 'resource',
  header: 'Resource',
  widthPx: 220,
  grows: true,
  sortValue: (row) => row.name,
  cell: (row) => (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="text-[0.8571em] text-muted">{formatResourceType(row.typeUrl)}</span>
      <NameText name={row.name} />
    </span>
  ),
};
const path = nameColumn<IgnoredItem>((row) => row.path || 'all of it', {
  id: 'path',
  header: 'Field',
});
const reason = textColumn<IgnoredItem>((row) => row.reason, { id: 'reason', header: 'Reason', widthPx: 320 });
const rule: DataColumn<IgnoredItem> = {
  id: 'rule',
  header: 'Rule',
  description: 'Number of the rule, or the gRFC',
  widthPx: 72,
  sortValue: (row) => row.rule,
  cell: (row) => <span className="text-muted">{row.rule}</span>,
};
const columns = [part, resource, path, reason, rule];
const narrowColumns = [
  { ...part, widthPx: 92 },
  { ...resource, widthPx: 180 },
];

function narrowDetail(row: IgnoredItem) {
  return (
    <div className="note break-words">
      {row.path !== '' && <p className="font-mono">{row.path}</p>}
      <p>
        {row.reason}
        {row.rule !== '' && ` (${row.rule})`}
      </p>
    </div>
  );
}
