'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { NameText } from '@/app/_components/name-text';
import { Panel } from '@/app/_components/panel';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { autoSizeGroup } from '@/lib/fleet/size-group';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount } from '@/lib/format/count';
import { formatShare } from '@/lib/format/share';
import type { NearLimit, SizesAnswer } from '@/lib/views/sizes/schema';
import { sizesHref } from './sizes-href';

const rowId = ({ clientId, typeUrl }: NearLimit) => `${clientId} ${typeUrl}`;
/** Share of the limit from which a response counts as near it. */
const nearFrom = 0.5;

/** Size of the SotW response per client and type, compared with the gRPC message limit. */
export function ResponsesTable({ reported }: { readonly reported: SizesAnswer }) {
  const { responses, limitBytes } = reported;
  const isNarrow = useIsNarrow();
  const columns = useMemo(() => columnsOf(limitBytes, isNarrow), [limitBytes, isNarrow]);
  const near = responses.filter(({ responseBytes }) => responseBytes >= nearFrom * limitBytes).length;
  return (
    <Panel
      title={near === 0 ? 'No response near 4 MiB' : `${formatCount(near)} near or above 4 MiB`}
      vantage="largest SotW responses, computed from the resources; gRPC clients fail above 4 MiB by default"
      flush
    >
      <DataTable
        label="Responses by size"
        rows={responses}
        columns={columns}
        rowId={rowId}
        className="max-h-72 min-h-24"
        empty={<EmptyState title="No resource content reported" />}
      />
    </Panel>
  );
}

function columnsOf(limitBytes: number, isNarrow: boolean): DataColumn<NearLimit>[] {
  const size: DataColumn<NearLimit> = column('bytes', 'Response', ({ responseBytes }) => responseBytes, {
    widthPx: 100,
    align: 'right',
    sortsDescendingFirst: true,
    as: (bytes, { unreported }) => `${unreported > 0 ? 'from ' : ''}${formatBytes(bytes)}`,
  });
  const share: DataColumn<NearLimit> = column('share', 'Of 4 MiB', ({ responseBytes }) => responseBytes, {
    widthPx: 84,
    align: 'right',
    sortValue: undefined,
    as: (bytes) => {
      const part = bytes / limitBytes;
      const tone = part >= 1 ? 'font-medium text-nacked' : part >= nearFrom ? 'text-timeout' : 'text-muted';
      return <span className={tone}>{formatShare(part)}</span>;
    },
  });
  const name: DataColumn<NearLimit> = column('client', 'Client', ({ nodeId }) => nodeId, {
    widthPx: 160,
    grows: true,
    as: (nodeId, { clientId, typeUrl, service }) => (
      <Link
        href={sizesHref({
          client: clientId,
          type: typeUrl,
          name: '',
          filter: '',
          group: autoSizeGroup,
          sort: 'bytes',
        })}
        className="flex min-w-0 items-baseline gap-2 link-hover"
      >
        <span className="note">{service}</span>
        <NameText name={nodeId} />
      </Link>
    ),
  });
  const count: DataColumn<NearLimit> = column('resources', 'Resources', ({ resources }) => resources, {
    as: 'count',
    widthPx: 112,
  });
  return isNarrow ? [name, size, share] : [name, count, size, share];
}
