'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useCallback, useDeferredValue, useMemo } from 'react';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { buildFleetColumns, buildNarrowFleetColumns, type FleetRow } from '@/app/_views/fleet/fleet-columns';
import { FleetFilterField } from '@/app/_views/fleet/fleet-filter-field';
import { FleetTabs } from '@/app/_views/fleet/fleet-tabs';
import { GroupField } from '@/app/_views/fleet/group-field';
import {
  fleetQuestionOf,
  fleetSearchParams,
  fleetUrlKeys,
  toDataSort,
} from '@/app/_views/fleet/search-params';
import { useFleetLines } from '@/app/_views/fleet/use-fleet-lines';
import { formatCount, formatCounted } from '@/lib/format/count';
import { buildFleetTypes } from '@/lib/views/fleet/build-fleet-types';
import { formatPartial } from '@/lib/views/fleet/fleet-freshness';
import type { DataSort } from '../../../_components/data-column';
import { DataTable } from '../../../_components/data-table';
import { EmptyState } from '../../../_components/empty-state';
import { QueryContent } from '../../../_components/query-content';
import { PageBody, PageTable } from '../../../_components/shell/page-body';
import { PageHead } from '../../../_components/shell/page-head';
import { StartLabButton } from '../../../_components/start-lab-button';
import { useIsNarrow } from '../../../_hooks/use-is-narrow';

const rowHeightPx = 46;
const none: readonly string[] = [];

/** Stable across updates, for clients as well as for rows that are not loaded yet. */
function rowId(row: FleetRow): string {
  if (row.kind === 'client') return row.client.id;
  return row.kind === 'group' ? `group ${row.value}` : `line ${row.index}`;
}

export function ClientsPage() {
  useLiveStream('fleet');
  const [params, setParams] = useQueryStates(fleetSearchParams, {
    urlKeys: fleetUrlKeys,
    history: 'replace',
    throttleMs: 200,
  });
  const { sort, descending, group, open } = params;
  const q = useDeferredValue(params.filter);
  const question = useMemo(
    () => fleetQuestionOf({ sort, descending, group, open }, q),
    [q, sort, descending, group, open],
  );
  const { lines, page, error, refetch, onVisibleRange } = useFleetLines(question);
  const columns = useFleetColumns(page?.typeUrls ?? none, useIsNarrow());
  const router = useRouter();
  const activate = useCallback(
    (row: FleetRow) => {
      if (row.kind === 'client') router.push(`/clients/${row.client.id}`);
      if (row.kind !== 'group') return;
      const { value, isOpen } = row;
      void setParams(({ open: now }) => ({
        open: isOpen ? now.filter((each) => each !== value) : [...now, value],
      }));
    },
    [router, setParams],
  );
  const setSort = (next: DataSort | null) =>
    setParams({ sort: next?.columnId ?? null, descending: next?.descending ?? null });
  const setFilter = (text: string) => setParams({ filter: text === '' ? null : text });
  const setGroup = (field: string) => setParams({ group: field === '' ? null : field, open: null });

  return (
    <PageBody fills>
      <PageHead
        title="Clients"
        vantage="status as reported by each client (CSDS, probe) and by control planes"
        age={page && (page.newestAt ?? null)}
        partial={formatPartial(page?.total)}
      />
      <FleetTabs current="list" filter={params.filter} />
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <FleetFilterField
          value={params.filter}
          onChange={setFilter}
          placeholder="Filter: cart  status=NACKED  zone=eu-1"
          className="w-full md:w-105"
        />
        <FilterHints onChoose={setFilter} current={params.filter} />
        <GroupField group={group} metadataKeys={page?.metadataKeys ?? []} onChange={setGroup} />
        {page !== undefined && (
          <p role="status" className="ml-auto leading-8 whitespace-nowrap text-muted">
            {formatMatched(page.matched.clients, page.total.clients)}
            {page.groups !== undefined && ` in ${formatCounted(page.groups, 'group')}`}
          </p>
        )}
      </div>
      <PageTable label="Fleet">
        <QueryContent query={{ data: lines, error, refetch }} what="the clients" rows={10}>
          {(lines) => (
            <DataTable
              label="Clients by resource type"
              rows={lines}
              columns={columns}
              rowId={rowId}
              sort={toDataSort(sort, descending)}
              onSortChange={setSort}
              isSorted
              onVisibleRange={onVisibleRange}
              question={JSON.stringify([q, sort, descending, group])}
              onActivate={activate}
              rowHeightPx={rowHeightPx}
              className="flex-1"
              empty={page?.total.clients === 0 ? <NoClients /> : <NoMatch onClear={() => setFilter('')} />}
            />
          )}
        </QueryContent>
      </PageTable>
    </PageBody>
  );
}

function formatMatched(matched: number, total: number): string {
  return matched < total
    ? `${formatCount(matched)} of ${formatCounted(total, 'client')}`
    : formatCounted(total, 'client');
}

/** The columns keep their identity as long as the resource types of the fleet do not change. */
function useFleetColumns(typeUrls: readonly string[], isNarrow: boolean) {
  const typeKey = JSON.stringify(typeUrls);
  return useMemo(
    () => (isNarrow ? buildNarrowFleetColumns() : buildFleetColumns(buildFleetTypes(JSON.parse(typeKey)))),
    [typeKey, isNarrow],
  );
}

function NoClients() {
  return (
    <EmptyState title="No clients yet" action={<StartLabButton />}>
      Clients appear once a source reports them. Drop a config dump on this page, add a source under{' '}
      <Link href="/sources" className="link">
        Sources
      </Link>
      , or start the lab.
    </EmptyState>
  );
}

function NoMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      title="No client matches the filter"
      action={
        <button type="button" onClick={onClear} className="link">
          Show all clients
        </button>
      }
    />
  );
}

const filters = [
  { label: 'in trouble', text: 'trouble=yes' },
  { label: 'NACKED', text: 'status=NACKED' },
  { label: 'DOES_NOT_EXIST', text: 'status=DOES_NOT_EXIST' },
  { label: 'not live', text: 'fresh!=live fresh!=file' },
  { label: 'duplicate node ID', text: 'is=duplicate' },
] as const;

interface FilterHintsProps {
  readonly current: string;
  readonly onChoose: (text: string) => void;
}

function FilterHints({ current, onChoose }: FilterHintsProps) {
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {filters.map(({ label, text }) => {
        const isOn = current === text;
        return (
          <button
            key={text}
            type="button"
            aria-pressed={isOn}
            title={text}
            onClick={() => onChoose(isOn ? '' : text)}
            className={`h-8 rounded-full border px-2.5 text-small transition ${
              isOn
                ? 'border-accent bg-accent-soft text-text'
                : 'border-line text-muted hover:bg-hover hover:text-text'
            }`}
          >
            {label}
          </button>
        );
      })}
    </div>
  );
}
