import Link from 'next/link';
import { bytesColumn, countColumn, nameColumn, timeColumn, typeColumn } from '@/app/_components/columns';
import type { ChurnResource, ChurnServer } from '@/lib/api/churn';
import type { DataColumn } from '../../_components/data-column';
import { NameText } from '../../_components/name-text';
import { pushHref } from '../../_components/push-href';
import { Sparkline } from '../../_drawings/churn/sparkline';

/** A resource with the time range of the page, which its sparkline spans. */
export type ChangeLine = ChurnResource & {
  readonly from: number;
  readonly until: number;
  readonly bucketMs: number;
};

export const changeId = ({ typeUrl, name }: ChangeLine) => `${typeUrl}\u0000${name}`;
export const unchangedId = ({ typeUrl, server }: ChurnServer) => `${typeUrl}\u0000${server}`;

const lastColumn = timeColumn<{ readonly lastAt: string }>(({ lastAt }) => lastAt, {
  id: 'last',
  header: 'Last',
});

const resource: DataColumn<ChangeLine> = {
  id: 'resource',
  header: 'Resource',
  widthPx: 180,
  grows: true,
  sortValue: ({ name }) => name,
  cell: ({ typeUrl, name }) => (
    <Link
      href={pushHref({ typeUrl, name, hash: null, version: '', server: null })}
      title="The push of its newest content"
      className="block min-w-0 link-hover"
    >
      <NameText name={name} />
    </Link>
  ),
};

const changes = countColumn<ChangeLine>((row) => row.changes, {
  id: 'changes',
  header: 'Changes',
  description: 'Changes from one content to another',
});

const over: DataColumn<ChangeLine> = {
  id: 'over',
  header: 'Over time',
  description: 'Changes in each interval of the time range',
  widthPx: 150,
  cell: ({ buckets, from, until, bucketMs }) => (
    <Sparkline
      bars={buckets.map(({ at, changes: value }) => ({ at, value }))}
      {...{ from, until, bucketMs }}
      label={`${buckets.length} intervals with changes`}
    />
  ),
};

export const changeColumns: readonly DataColumn<ChangeLine>[] = [
  typeColumn(),
  resource,
  over,
  changes,
  countColumn((row) => row.contents, {
    id: 'contents',
    header: 'Distinct',
    description: 'Distinct contents',
  }),
  countColumn((row) => row.returns, {
    id: 'returns',
    header: 'Reverts',
    description: 'Changes back to an earlier content',
  }),
  lastColumn,
];
export const narrowChangeColumns: readonly DataColumn<ChangeLine>[] = [
  typeColumn(),
  resource,
  { ...changes, widthPx: 84 },
];

const server = nameColumn<ChurnServer>((row) => row.server, {
  id: 'server',
  header: 'Server',
  widthPx: 150,
});

const unchanged = countColumn<ChurnServer>((row) => row.unchangedResponses, {
  id: 'unchanged',
  header: 'Responses',
  description: 'Responses with a new version and unchanged content',
});

export const unchangedColumns: readonly DataColumn<ChurnServer>[] = [
  typeColumn(),
  server,
  unchanged,
  countColumn((row) => row.responses, { id: 'all', header: 'Of', description: 'All responses' }),
  countColumn((row) => row.emptyVersions, {
    id: 'empty',
    header: 'Versions',
    description: 'Versions without new content for any client',
  }),
  bytesColumn((row) => row.unchangedBytes, { id: 'bytes', header: 'Bytes', description: 'Redundant bytes' }),
  countColumn((row) => row.unchangedClients, {
    id: 'clients',
    header: 'Clients',
    description: 'Clients that received them',
  }),
  {
    id: 'version',
    header: 'Newest version',
    widthPx: 140,
    sortValue: (row) => row.lastVersion,
    cell: ({ typeUrl, lastVersion: version, server: by }) => (
      <Link
        href={pushHref({ typeUrl, name: null, hash: null, version, server: by })}
        className="block min-w-0 link-hover"
      >
        <NameText name={version} />
      </Link>
    ),
  },
  lastColumn,
];
export const narrowUnchangedColumns: readonly DataColumn<ChurnServer>[] = [
  typeColumn(),
  server,
  { ...unchanged, widthPx: 100 },
];
