import { BytesText, NotReported } from '@/app/_components/bytes-text';
import type { DataColumn } from '@/app/_components/data-column';
import { ConfigStatusText } from '@/app/_components/inspector/config-status-text';
import { NameText } from '@/app/_components/name-text';
import { StageMark } from '@/app/_components/stage-mark';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo, timeAgoColumnPx } from '@/app/_components/time-ago';
import { V2Mark } from '@/app/_components/v2-mark';
import type { ResourceRowJson } from '@/lib/api/schema';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { sortValues } from '@/lib/view-model/client-resources/resource-order';
import { formatResourceType, messageNameOf } from '@/lib/xds/resource-type';

const type: DataColumn<ResourceRowJson> = {
  id: 'type',
  header: 'Type',
  description: 'The discovery service; in the order in which a client resolves them',
  widthPx: 72,
  sortValue: sortValues.type,
  cell: (row) => (
    <span className="block truncate text-muted" title={messageNameOf(row.typeUrl)}>
      {formatResourceType(row.typeUrl)}
      {row.apiVersion === 'v2' && (
        <>
          {' '}
          <V2Mark />
        </>
      )}
    </span>
  ),
};

const name: DataColumn<ResourceRowJson> = {
  id: 'name',
  header: 'Name',
  widthPx: 240,
  grows: true,
  sortValue: sortValues.name,
  cell: (row) => (
    <span className="flex min-w-0 items-baseline gap-2">
      {row.name === '' && row.side === 'control-plane' ? (
        <span className="text-muted">(the whole type)</span>
      ) : (
        <NameText name={row.name} maxChars={64} copy />
      )}
      <StageMark {...row} />
    </span>
  ),
};

const status: DataColumn<ResourceRowJson> = {
  id: 'status',
  header: 'Client',
  description: 'client_status: what the client says that it runs',
  widthPx: 136,
  sortValue: sortValues.status,
  cell: (row) =>
    row.side === 'client' ? (
      <StatusMark status={row.clientStatus} />
    ) : (
      <NotReported why="no client reported what it runs" />
    ),
};

const controlPlane: DataColumn<ResourceRowJson> = {
  id: 'control-plane',
  header: 'Control plane',
  description:
    'config_status: what the control plane says that it sent. It is reported per type: one NACK marks all of a type.',
  widthPx: 132,
  sortValue: sortValues['control-plane'],
  cell: (row) => <ConfigStatusText row={row} />,
};

const version: DataColumn<ResourceRowJson> = {
  id: 'version',
  header: 'Version',
  description: 'version_info, as the client reports it',
  widthPx: 112,
  sortValue: sortValues.version,
  cell: (row) =>
    row.versionInfo === '' ? (
      <NotReported why="no version reported" />
    ) : (
      <span className="block truncate font-mono text-[0.9286em]" title={row.versionInfo}>
        {formatMiddleCut(row.versionInfo, 24)}
      </span>
    ),
};

const updated: DataColumn<ResourceRowJson> = {
  id: 'updated',
  header: 'Last updated',
  description: 'last_updated, by the clock of whoever reports it',
  widthPx: 128,
  align: 'right',
  sortsDescendingFirst: true,
  sortValue: sortValues.updated,
  cell: (row) => <TimeAgo iso={row.lastUpdated} never="not reported" />,
};

const changed: DataColumn<ResourceRowJson> = {
  id: 'changed',
  header: 'Changed',
  description: 'When xdscope saw this state first',
  widthPx: timeAgoColumnPx,
  align: 'right',
  sortsDescendingFirst: true,
  sortValue: sortValues.changed,
  cell: (row) => <TimeAgo iso={row.changedAt} />,
};

const size: DataColumn<ResourceRowJson> = {
  id: 'size',
  header: 'Size',
  description: 'Of the body’s protobuf bytes',
  widthPx: 84,
  align: 'right',
  sortsDescendingFirst: true,
  sortValue: sortValues.size,
  cell: (row) => <BytesText sizeBytes={row.sizeBytes} />,
};

const hash: DataColumn<ResourceRowJson> = {
  id: 'hash',
  header: 'Hash',
  description: 'SHA-256 of the body’s bytes: equal hashes are equal bodies',
  widthPx: 96,
  sortValue: sortValues.hash,
  cell: (row) =>
    row.hash === null ? (
      <NotReported why="no body reported" />
    ) : (
      <span className="font-mono text-[0.9286em] text-muted" title={row.hash}>
        {row.hash.slice(0, 8)}
      </span>
    ),
};

export const resourceColumns = [type, name, status, controlPlane, version, updated, changed, size, hash];

/** What a phone has room for; the inspector has the rest. */
export const narrowResourceColumns: readonly DataColumn<ResourceRowJson>[] = [
  { ...type, widthPx: 68 },
  {
    ...name,
    widthPx: 120,
    cell: (row) => (
      <span className="flex min-w-0 flex-col">
        <NameText name={row.name} maxChars={28} />
        <StageMark {...row} />
      </span>
    ),
  },
  { ...status, widthPx: 124 },
];
