import Link from 'next/link';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { NameText } from '@/app/_components/name-text';
import { pushHref } from '@/app/_components/push-href';
import { typeColumn } from '@/app/_components/type-column';
import { Sparkline } from '@/app/_drawings/churn/sparkline';
import type { ChurnResource, ChurnServer } from '@/lib/views/churn/schema';
import type { EpochMs } from '@/lib/xds/units';

/** A resource with the time range of the page, which its sparkline spans. */
type ChangeLine = ChurnResource & {
  readonly from: number;
  readonly until: number;
  readonly bucketMs: number;
};

export const changeId = ({ typeUrl, name }: ChangeLine) => `${typeUrl}\u0000${name}`;
export const unchangedId = ({ typeUrl, server }: ChurnServer) => `${typeUrl}\u0000${server}`;

const type = typeColumn();
const last: DataColumn<{ readonly lastAt: EpochMs }> = column('last', 'Last', ({ lastAt }) => lastAt, {
  as: 'ago',
});

const resource: DataColumn<ChangeLine> = column('resource', 'Resource', ({ name }) => name, {
  widthPx: 180,
  grows: true,
  as: (name, { typeUrl }) => (
    <Link
      href={pushHref({ typeUrl, name, hash: undefined, version: '', server: undefined })}
      title="The push of its newest content"
      className="block min-w-0 link-hover"
    >
      <NameText name={name} />
    </Link>
  ),
});

const changes: DataColumn<ChangeLine> = column('changes', 'Changes', (row) => row.changes, {
  as: 'count',
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
  type,
  resource,
  over,
  changes,
  column('contents', 'Distinct', (row) => row.contents, { as: 'count', description: 'Distinct contents' }),
  column('returns', 'Reverts', (row) => row.returns, {
    as: 'count',
    description: 'Changes back to an earlier content',
  }),
  last,
];
export const narrowChangeColumns: readonly DataColumn<ChangeLine>[] = [
  type,
  resource,
  { ...changes, widthPx: 84 },
];

const server: DataColumn<ChurnServer> = column('server', 'Server', (row) => row.server, {
  as: 'name',
  widthPx: 150,
  grows: true,
  nameOf: (row) => row.server,
});

const unchanged: DataColumn<ChurnServer> = column('unchanged', 'Responses', (row) => row.unchangedResponses, {
  as: 'count',
  description: 'Responses with a new version and unchanged content',
});

export const unchangedColumns: readonly DataColumn<ChurnServer>[] = [
  type,
  server,
  unchanged,
  column('all', 'Of', (row) => row.responses, { as: 'count', description: 'All responses' }),
  column('empty', 'Versions', (row) => row.emptyVersions, {
    as: 'count',
    description: 'Versions without new content for any client',
  }),
  column('bytes', 'Bytes', (row) => row.unchangedBytes, { as: 'bytes', description: 'Redundant bytes' }),
  column('clients', 'Clients', (row) => row.unchangedClients, {
    as: 'count',
    description: 'Clients that received them',
  }),
  column('version', 'Newest version', (row) => row.lastVersion, {
    widthPx: 140,
    as: (version, { typeUrl, server: by }) => (
      <Link
        href={pushHref({ typeUrl, name: undefined, hash: undefined, version, server: by })}
        className="block min-w-0 link-hover"
      >
        <NameText name={version} />
      </Link>
    ),
  }),
  last,
];
export const narrowUnchangedColumns: readonly DataColumn<ChurnServer>[] = [
  type,
  server,
  { ...unchanged, widthPx: 100 },
];
