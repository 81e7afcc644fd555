'use client';

import { useCallback } from 'react';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { NameText } from '@/app/_components/name-text';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { formatCount } from '@/lib/format/count';
import type { IgnoredItem, Resolved } from '@/lib/views/resolved/schema';
import { formatResourceRef } from '@/lib/views/resources/resource-ref';
import { nameOf } from '@/lib/xds/profile';
import { formatResourceType } from '@/lib/xds/resource-type';
import { useClientViewQuery } from '../client/use-client-view-query';

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

type Column = DataColumn<IgnoredItem>;
const part: Column = column('part', 'Part', (row) => row.part, {
  widthPx: 108,
  as: (text) => text.replaceAll('-', ' '),
});
const resource: Column = column('resource', 'Resource', (row) => row.name, {
  widthPx: 220,
  grows: true,
  as: (name, { typeUrl }) => (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="text-[0.8571em] text-muted">{formatResourceType(typeUrl)}</span>
      <NameText name={name} />
    </span>
  ),
});
const pathOf = (row: IgnoredItem) => row.path || 'all of it';
const path: Column = column('path', 'Field', pathOf, { as: 'name', grows: true, nameOf: pathOf });
const reason: Column = column('reason', 'Reason', (row) => row.reason, { as: 'text', widthPx: 320 });
const rule: Column = column('rule', 'Rule', (row) => row.rule, {
  description: 'Number of the rule, or the gRFC',
  widthPx: 72,
  as: (text) => <span className="text-muted">{text}</span>,
});
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
