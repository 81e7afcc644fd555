'use client';

import { useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useCallback, useDeferredValue, useMemo } from 'react';
import type { ClientSummary } from '@/lib/api/schema';
import { formatCount, formatCounted } from '@/lib/format/count';
import { buildFleetTypes } from '@/lib/view-model/fleet/build-fleet-types';
import { matchesFleetFilter, parseFleetFilter } from '@/lib/view-model/fleet/fleet-filter';
import { buildFleetFreshness } from '@/lib/view-model/fleet/fleet-freshness';
import { buildFleetMember } from '@/lib/view-model/fleet/fleet-member';
import { countClients, joinScopes } from '@/lib/view-model/fleet/join-scopes';
import type { DataSort } from '../../../_components/data-column';
import { DataTable } from '../../../_components/data-table';
import { EmptyState } from '../../../_components/empty-state';
import { ErrorState } from '../../../_components/error-state';
import { SearchField } from '../../../_components/search-field';
import { PageBody } from '../../../_components/shell/page-body';
import { PageHead } from '../../../_components/shell/page-head';
import { Skeleton } from '../../../_components/skeleton';
import { useClients } from '../../../_hooks/queries';
import { useIsNarrow } from '../../../_hooks/use-is-narrow';
import { useLiveStream } from '../../../_hooks/use-live-stream';
import { FilterHints } from './filter-hints';
import { buildFleetColumns, buildNarrowFleetColumns, type FleetRow } from './fleet-columns';
import { fleetSearchParams, fleetUrlKeys, toDataSort } from './search-params';

const rowHeightPx = 46;
const rowId = (client: FleetRow) => client.id;
const none: readonly ClientSummary[] = [];

export function ClientsPage() {
  useLiveStream('fleet');
  const { data: clients, error, refetch } = useClients();
  const [params, setParams] = useQueryStates(fleetSearchParams, {
    urlKeys: fleetUrlKeys,
    history: 'replace',
    throttleMs: 200,
  });
  const deferredText = useDeferredValue(params.filter);
  const filter = useMemo(() => parseFleetFilter(deferredText), [deferredText]);
  const links = useMemo(() => joinScopes(clients ?? none), [clients]);
  const rows = useMemo(
    () =>
      (clients ?? none)
        .filter((client) => matchesFleetFilter(buildFleetMember(client, { metadata: {} }), filter))
        .map((client): FleetRow => {
          const link = links.get(client.id);
          // Rows that stay the same object are not drawn again.
          return link?.kind === 'whole' ? { ...client, scopesTold: link.scopeIds.length } : client;
        }),
    [clients, filter, links],
  );
  const isNarrow = useIsNarrow();
  const columns = useFleetColumns(clients ?? none, isNarrow);
  const freshness = useMemo(() => buildFleetFreshness(clients ?? none), [clients]);
  const router = useRouter();
  const open = useCallback((client: FleetRow) => router.push(`/clients/${client.id}`), [router]);
  const setSort = (sort: DataSort | null) =>
    setParams({ sort: sort?.columnId ?? null, descending: sort?.descending ?? null });
  const setFilter = (text: string) => setParams({ filter: text === '' ? null : text });

  return (
    <PageBody fills>
      <PageHead
        title="Clients"
        vantage="each client’s own word (CSDS, probe); control planes’ beside it"
        age={freshness.newestAt}
        partial={freshness.partial}
      />
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <SearchField
          label="Filter clients"
          value={params.filter}
          onChange={setFilter}
          placeholder="Filter: cart status=NACKED type=CDS"
          problem={filter.problems.join('; ')}
          className="w-full md:w-105"
        />
        <FilterHints onChoose={setFilter} current={params.filter} />
        <p role="status" className="ml-auto leading-8 whitespace-nowrap text-muted">
          {clients !== undefined && rows.length < clients.length
            ? `${formatCount(countClients(rows))} of ${formatCounted(countClients(clients), 'client')}`
            : formatCounted(countClients(rows), 'client')}
        </p>
      </div>
      <section
        aria-label="Fleet"
        className="flex min-h-80 flex-1 flex-col overflow-hidden rounded-lg border border-line bg-raised"
      >
        {clients === undefined && error !== null && (
          <ErrorState title="The clients could not be read" error={error} onRetry={() => void refetch()} />
        )}
        {clients === undefined && error === null && <Skeleton waitsFor="the clients" rows={10} />}
        {clients !== undefined && (
          <DataTable
            label="Clients by resource type"
            rows={rows}
            columns={columns}
            rowId={rowId}
            sort={toDataSort(params.sort, params.descending)}
            onSortChange={setSort}
            onActivate={open}
            rowHeightPx={rowHeightPx}
            className="flex-1"
            empty={clients.length === 0 ? <NoClients /> : <NoMatch onClear={() => setFilter('')} />}
          />
        )}
      </section>
    </PageBody>
  );
}

/** Columns keep their identity as long as the fleet's types stay the same, whatever else changes. */
function useFleetColumns(clients: readonly ClientSummary[], isNarrow: boolean) {
  const types = useMemo(() => buildFleetTypes(clients), [clients]);
  const typeKey = JSON.stringify(types);
  return useMemo(
    () => (isNarrow ? buildNarrowFleetColumns() : buildFleetColumns(JSON.parse(typeKey))),
    [typeKey, isNarrow],
  );
}

function NoClients() {
  return (
    <EmptyState title="No client has been seen yet">
      A client appears when a source names it. Add one under{' '}
      <a href="/sources" className="text-accent underline underline-offset-2">
        Sources
      </a>
      , or start xdscope with its lab.
    </EmptyState>
  );
}

function NoMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      title="No client matches the filter"
      action={
        <button type="button" onClick={onClear} className="text-accent underline underline-offset-2">
          Show all clients
        </button>
      }
    />
  );
}
