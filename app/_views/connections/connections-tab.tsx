'use client';

import Link from 'next/link';
import { useCallback, useMemo } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { type DataSort, formatSort, parseSort } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { ListToolbar } from '@/app/_components/list-toolbar';
import { NameText } from '@/app/_components/name-text';
import { QueryContent } from '@/app/_components/query-content';
import { StaleBanner } from '@/app/_components/stale-banner';
import { TimeAgo } from '@/app/_components/time-ago';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { formatCount, formatCounted } from '@/lib/format/count';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { ConnectionRow, ConnectionsPage } from '@/lib/views/connections/schema';
import { useClientViewQuery } from '../client/use-client-view-query';
import { buildEndpointColumns, buildNarrowEndpointColumns } from './endpoint-columns';
import { ProcessChannels } from './process-channels';
import { connectionsParams, connectionsQueryOf, endpointsPerPage } from './search-params';

const choices = [
  { value: 'all', label: 'All' },
  { value: 'disagreements', label: 'Disagreements' },
] as const;
const typingPauseMs = 150;
const rowId = (row: ConnectionRow) => row.id;

export function ConnectionsTab() {
  const { query, setQuery } = useClientViewQuery(connectionsParams);
  const q = useDebounced(query.q, typingPauseMs);
  const asked = connectionsQueryOf({ ...query, q });
  const { data, error, refetch } = useQuestion('connections', asked);
  const setSort = useCallback(
    (next: DataSort | null) => setQuery({ skip: 0, sort: formatSort(next) }),
    [setQuery],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ListToolbar
        choice={{
          label: 'Which endpoints',
          value: query.endpoints,
          options: choices,
          onChange: (endpoints) => setQuery({ endpoints, skip: 0 }),
        }}
        search={{
          label: 'Part of a cluster, locality, address or error',
          placeholder: 'cluster, address or error',
          value: query.q,
          onChange: (text) => setQuery({ q: text, skip: 0 }),
          className: 'w-full md:w-72',
        }}
        counts={data && <Counts page={data} />}
        pager={
          data && {
            label: 'endpoints',
            offset: query.skip,
            limit: endpointsPerPage,
            total: data.endpoints.total,
            onChange: (skip) => setQuery({ skip }),
          }
        }
      />
      <QueryContent query={{ data, error, refetch }} what="the connections" rows={10}>
        {(page) => (
          <>
            <Reporter page={page} />
            <ProcessChannels {...page} />
            <UnreportedEjections page={page} />
            <UncountedCalls page={page} />
            <Endpoints page={page} question={JSON.stringify(asked)} sort={query.sort} onSort={setSort} />
          </>
        )}
      </QueryContent>
    </div>
  );
}

/**
 * Returns true if an Envoy reports the connections. An imported file has no vantage of its own, so its figures
 * decide.
 */
function reportsHosts({ source, endpoints }: ConnectionsPage): boolean {
  if (source?.vantage === 'envoy-admin') return true;
  if (source?.vantage === 'channelz') return false;
  return endpoints.items.some(({ connection }) => connection?.figures?.ofHost != null);
}

function Counts({ page }: { readonly page: ConnectionsPage }) {
  const { counts, source } = page;
  const isOfHosts = reportsHosts(page);
  const { endpoints, ready, failing, disagreements } = counts;
  const total = formatCounted(endpoints, 'endpoint');
  if (source === undefined) return <p className="note">{total}</p>;
  const isLast = source.freshness !== 'live';
  return (
    <p role="status" className="note">
      {total}, {formatCount(ready)} {isOfHosts ? 'HEALTHY' : 'READY'}, {formatCount(failing)}{' '}
      {isOfHosts ? 'excluded or failing' : 'failing'}
      {isLast && ', when last reported'}
      {disagreements > 0 && (
        <span className="font-medium text-nacked">, {formatCounted(disagreements, 'disagreement')}</span>
      )}
    </p>
  );
}

/** Shows which source reports the connections, and how current its report is. */
function Reporter({ page: { source, moment } }: { readonly page: ConnectionsPage }) {
  const { client } = useClientViewData();
  if (source === undefined && isImportedClient(client)) {
    return (
      <p className="border-b border-line px-4 py-2.5">
        The file has no connections. Those of an Envoy are in its answer to /clusters?format=json: import it
        in one folder or document with the config dump of the same moment. A gRPC client reports them by
        channelz while it runs.
      </p>
    );
  }
  if (source === undefined) {
    return (
      <p className="border-b border-line px-4 py-2.5">
        No source reports the connections of this client. A gRPC client reports them by channelz, which its
        admin services serve beside CSDS, and an Envoy by its admin interface: add the address as a source
        under{' '}
        <Link href="/sources" className="link">
          Sources
        </Link>
        .
      </p>
    );
  }
  const { sourceId, freshness, reason, changedAt, countedAt } = source;
  return (
    <>
      {moment !== undefined && moment.incomplete !== '' && (
        <div className="px-4 pt-3">
          <StaleBanner>Data of this time is incomplete: {moment.incomplete}.</StaleBanner>
        </div>
      )}
      {freshness !== 'live' && (
        <div className="px-4 pt-3">
          <StaleBanner>
            The states below were last reported <TimeAgo at={countedAt ?? changedAt} /> and may have changed:{' '}
            {reason}.
          </StaleBanner>
        </div>
      )}
      <p className="note border-b border-line px-4 py-1.5">
        <span className="font-mono break-all">{sourceId}</span>, last change <TimeAgo at={changedAt} />
        {countedAt === undefined ? ', calls counted at each change' : ''}
      </p>
    </>
  );
}

function UncountedCalls({ page }: { readonly page: ConnectionsPage }) {
  if (!page.countsConnectedOnly || page.channels.length === 0) return null;
  return (
    <p className="note border-b border-line px-4 py-1.5">
      The channelz of gRPC-Java counts the RPCs that reached a connection: those that the config or the lack
      of a connection ends are in no count.
    </p>
  );
}

/** States what the tab cannot show of a gRPC client. */
function UnreportedEjections({ page }: { readonly page: ConnectionsPage }) {
  if (!page.hasOutlierDetection || page.source === undefined || reportsHosts(page)) return null;
  return (
    <p className="note border-b border-line px-4 py-1.5">
      Outlier detection is configured. gRPC-Go reports an ejected endpoint in its trace events, which is shown
      as EJECTED; with C-core, Java and Node an ejected endpoint stays READY and receives no calls.
    </p>
  );
}

interface EndpointsProps {
  readonly page: ConnectionsPage;
  readonly question: string;
  readonly sort: string;
  readonly onSort: (sort: DataSort | null) => void;
}

function Endpoints({ page, question, sort, onSort }: EndpointsProps) {
  const { subject } = useClientViewData();
  const isNarrow = useIsNarrow();
  const isStored = 'permalinkId' in subject;
  // The connections of a file are those of its time.
  const fileAt = page.source?.vantage === 'dump' ? page.source.changedAt : null;
  const at = page.moment?.at ?? (isStored ? page.at : fileAt);
  const isGrouped = sort === '';
  const isOfHosts = reportsHosts(page);
  const columns = useMemo(() => {
    const build = isNarrow ? buildNarrowEndpointColumns : buildEndpointColumns;
    return build({ at, isGrouped, isOfHosts });
  }, [isNarrow, at, isGrouped, isOfHosts]);
  const tableSort = useMemo(() => parseSort(sort), [sort]);
  return (
    <DataTable
      label="Endpoints and their connections"
      rows={page.endpoints.items}
      columns={columns}
      rowId={rowId}
      sort={tableSort}
      onSortChange={onSort}
      isSorted
      question={question}
      heading={isGrouped ? headingOfGroup : undefined}
      rowHeightPx={isNarrow ? (isGrouped ? 64 : 84) : 36}
      className="flex-1 max-md:h-[75dvh] max-md:flex-none"
      empty={
        page.counts.endpoints === 0 ? (
          <EmptyState title="No endpoints">No cluster of the client has endpoints.</EmptyState>
        ) : (
          <EmptyState title="No endpoint matches">Change the filters to see more.</EmptyState>
        )
      }
    />
  );
}

type Place = Pick<ConnectionRow, 'cluster' | 'priority' | 'locality'>;

/** The cluster, priority and locality of a row, unless the row before has the same. */
function headingOfGroup(row: ConnectionRow, before: ConnectionRow | undefined) {
  return before !== undefined && isSamePlace(row, before) ? null : <EndpointGroup place={row} />;
}

function isSamePlace(a: Place, b: Place): boolean {
  return a.cluster === b.cluster && a.priority === b.priority && a.locality === b.locality;
}

function EndpointGroup({ place: { cluster, priority, locality } }: { readonly place: Place }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      {cluster !== '' && <NameText name={cluster} className="font-medium" />}
      <span className="note truncate">
        {priority === undefined ? 'not in the config' : `Priority ${priority}`}
        {locality === '' ? '' : ` · ${locality}`}
      </span>
    </span>
  );
}
