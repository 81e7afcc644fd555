import Link from 'next/link';
import type { ChurnResource, ChurnServer } from '@/lib/api/churn';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount } from '@/lib/format/count';
import { convergenceHref } from '../../_components/convergence-href';
import type { DataColumn } from '../../_components/data-column';
import { NameText } from '../../_components/name-text';
import { TimeAgo, timeAgoColumnPx } from '../../_components/time-ago';

export const changeId = ({ typeUrl, name }: ChurnResource) => `${typeUrl}\u0000${name}`;
export const unchangedId = ({ typeUrl, server }: ChurnServer) => `${typeUrl}\u0000${server}`;

function countColumn<Row>(
  id: string,
  header: string,
  description: string,
  countOf: (row: Row) => number,
): DataColumn<Row> {
  return {
    ...{
      id,
      header,
      description,
      align: 'right',
      widthPx: 96,
      sortsDescendingFirst: true,
      sortValue: countOf,
    },
    cell: (row) => formatCount(countOf(row)),
  };
}

function typeColumn<Row extends { readonly service: string; readonly typeUrl: string }>(): DataColumn<Row> {
  return {
    ...{ id: 'type', header: 'Type', widthPx: 64, sortValue: ({ service }) => service },
    cell: ({ service, typeUrl }) => <span title={typeUrl}>{service}</span>,
  };
}

function lastColumn<Row extends { readonly lastAt: string }>(): DataColumn<Row> {
  return {
    ...{ id: 'last', header: 'Last', align: 'right', widthPx: timeAgoColumnPx, sortsDescendingFirst: true },
    sortValue: ({ lastAt }) => lastAt,
    cell: ({ lastAt }) => <TimeAgo iso={lastAt} />,
  };
}

const resource: DataColumn<ChurnResource> = {
  id: 'resource',
  header: 'Resource',
  widthPx: 180,
  grows: true,
  sortValue: ({ name }) => name,
  cell: ({ typeUrl, name }) => (
    <Link
      href={convergenceHref({ typeUrl, name, hash: null, version: '', server: null })}
      title="Convergence of its newest content"
      className="block min-w-0 hover:text-accent hover:underline"
    >
      <NameText name={name} maxChars={56} />
    </Link>
  ),
};

const changes = countColumn<ChurnResource>(
  'changes',
  'Changes',
  'Changes from one content to another',
  (row) => row.changes,
);

export const changeColumns: readonly DataColumn<ChurnResource>[] = [
  typeColumn(),
  resource,
  changes,
  countColumn('contents', 'Distinct', 'Distinct contents', (row) => row.contents),
  countColumn('returns', 'Reverts', 'Changes back to an earlier content', (row) => row.returns),
  lastColumn(),
];
export const narrowChangeColumns: readonly DataColumn<ChurnResource>[] = [
  typeColumn(),
  resource,
  { ...changes, widthPx: 84 },
];

const server: DataColumn<ChurnServer> = {
  id: 'server',
  header: 'Server',
  widthPx: 150,
  grows: true,
  sortValue: (row) => row.server,
  cell: (row) => <NameText name={row.server} maxChars={40} />,
};

const unchanged = countColumn<ChurnServer>(
  'unchanged',
  'Responses',
  'Responses with a new version and unchanged content',
  (row) => row.unchangedResponses,
);

export const unchangedColumns: readonly DataColumn<ChurnServer>[] = [
  typeColumn(),
  server,
  unchanged,
  countColumn('all', 'Of', 'All responses', (row) => row.responses),
  countColumn('empty', 'Versions', 'Versions without new content for any client', (row) => row.emptyVersions),
  {
    ...countColumn<ChurnServer>('bytes', 'Bytes', 'Redundant bytes', (row) => row.unchangedBytes),
    cell: (row) => formatBytes(row.unchangedBytes),
  },
  countColumn('clients', 'Clients', 'Clients that received them', (row) => row.unchangedClients),
  {
    id: 'version',
    header: 'Newest version',
    widthPx: 140,
    sortValue: (row) => row.lastVersion,
    cell: ({ typeUrl, lastVersion: version, server: by }) => (
      <Link
        href={convergenceHref({ typeUrl, name: null, hash: null, version, server: by })}
        className="block min-w-0 hover:text-accent hover:underline"
      >
        <NameText name={version} maxChars={22} />
      </Link>
    ),
  },
  lastColumn(),
];
export const narrowUnchangedColumns: readonly DataColumn<ChurnServer>[] = [
  typeColumn(),
  server,
  { ...unchanged, widthPx: 100 },
];
