'use client';

import { useQuery } from '@tanstack/react-query';
import { clientLoadSeriesOptions, clientLoadSplitOptions } from '@/app/_ask/client-load';
import { useClientViewData, useHasHistoryOf } from '@/app/_ask/client-view-data';
import { EmptyState } from '@/app/_components/empty-state';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { SelectField } from '@/app/_components/select-field';
import { TailControl } from '@/app/_components/tail-control';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { compareNames } from '@/lib/format/compare-names';
import { splitPartOf } from '@/lib/lb/split-part';
import { followRange, pauseRange } from '@/lib/time/time-range';
import { findLoadSort, type LoadGroupingChoice, loadGroupingChoices } from '@/lib/views/load/load-choices';
import type { EpochMs } from '@/lib/xds/units';
import { useClientViewQuery } from '../client/use-client-view-query';
import { LoadGrid } from './load-grid';
import { SplitPanel } from './load-split';
import { NoLoad } from './no-load';
import { loadParams } from './search-params';
import { RulesField, SplitPartField } from './split-fields';

const mostLines = 20;

export function LoadTab() {
  const isKept = useHasHistoryOf('load');
  const { query } = useClientViewQuery(loadParams);
  if (!isKept) {
    return <EmptyState title="No load stored">This permalink was created on another tab.</EmptyState>;
  }
  const choice = clientLoadChoices.find(({ value }) => value === query.by) ?? clientLoadChoices[0];
  return (
    <div className="@container min-h-0 flex-1 overflow-y-auto">
      <LoadChooser />
      <div className="flex flex-col gap-3 p-4">
        {query.load === 'time' && choice !== undefined && <OverTime choice={choice} />}
        {query.load === 'split' && <Split />}
      </div>
    </div>
  );
}

function OverTime({ choice }: { readonly choice: LoadGroupingChoice }) {
  const { subject, snapshotAt, client } = useClientViewData();
  const { query, setQuery } = useClientViewQuery(loadParams);
  const { extent } = useTimeRange();
  const { cluster } = query;
  const measure = choice.measures.join(',');
  const sort = findLoadSort(choice, query.sort);
  const params = { by: choice.value, cluster, extent, limit: mostLines, measure, sort };
  const answer = useQuery(clientLoadSeriesOptions(subject, params));
  const { data, error, refetch } = answer;
  const isPast = snapshotAt !== null || client.moment !== undefined;
  return (
    <Panel
      title={choice.head}
      vantage="load reports (LRS); rates over each report’s interval; gaps: no report"
      age={isPast ? undefined : newestOf(data?.groups)}
      partial={data?.notes.join(' ')}
    >
      <QueryContent query={{ data, error, refetch }} what="the load reports" rows={8}>
        {(data) => (
          <>
            {data.groups.length === 0 && <NothingReported by={choice.value} />}
            {data.groups.length > 0 && data.by === choice.value && (
              <LoadGrid
                answer={data}
                choice={choice}
                sort={sort}
                onSort={(next) => setQuery({ sort: next })}
              />
            )}
          </>
        )}
      </QueryContent>
    </Panel>
  );
}

function NothingReported({ by }: { readonly by: string }) {
  if (by === 'endpoint' || by === 'metric') return <NoLoad by={by} />;
  return (
    <EmptyState title="No load reported in this time range">
      Choose a longer time range in the header, or another time above.
    </EmptyState>
  );
}

function Split() {
  const { subject } = useClientViewData();
  const { query } = useClientViewQuery(loadParams);
  const { extent } = useTimeRange();
  const { rules } = query;
  // A permalink stores the shares of localities.
  const by = 'permalinkId' in subject ? undefined : splitPartOf(query.by);
  const { splitCluster: cluster, isUnreported } = useReportedClusters();
  const { data, error, refetch } = useQuery(clientLoadSplitOptions(subject, { by, cluster, extent, rules }));
  return (
    <SplitPanel
      query={{ data, error, refetch }}
      unreported={isUnreported && <NothingReported by="cluster" />}
    />
  );
}

function newestOf(groups: readonly { readonly totals: { readonly lastAt: EpochMs } }[] = []) {
  return groups.length === 0 ? undefined : Math.max(...groups.map(({ totals }) => totals.lastAt));
}

const views = [
  { value: 'time', label: 'Over time' },
  { value: 'split', label: 'Expected vs. actual' },
] as const;

/** Filters of the client's load over the time range of the header. */
function LoadChooser() {
  const { client, snapshotAt, subject } = useClientViewData();
  const { query, setQuery } = useClientViewQuery(loadParams);
  const { range, isLive, setRange } = useTimeRange();
  const { load, by, rules } = query;
  const reported = useReportedClusters();
  const cluster = load === 'split' ? reported.splitCluster : query.cluster;
  const names = new Set(reported.names);
  if (cluster !== '') names.add(cluster);
  const isNow = client.moment === undefined && snapshotAt === null;
  return (
    <div className="flex flex-wrap items-end gap-3 border-b border-line px-4 py-2">
      <SegmentedChoice
        label="Load view"
        value={load}
        options={views}
        onChange={(next) => setQuery({ load: next })}
      />
      {load === 'time' && (
        <SelectField
          className="w-44"
          label="Group by"
          value={by}
          options={clientLoadChoices}
          onChange={(next) => setQuery({ by: next })}
        />
      )}
      <SelectField
        className="w-52"
        label="Cluster"
        value={cluster}
        options={[
          ...(load === 'split' && cluster !== '' ? [] : [{ value: '', label: 'all clusters' }]),
          ...[...names].sort(compareNames).map((value) => ({ value, label: value })),
        ]}
        onChange={(next) => setQuery({ cluster: next })}
      />
      {load === 'split' && 'clientId' in subject && (
        <SplitPartField value={splitPartOf(by)} onChange={(next) => setQuery({ by: next })} />
      )}
      {load === 'split' && <RulesField value={rules} onChange={(next) => setQuery({ rules: next })} />}
      {isNow && (
        <TailControl
          isPaused={!isLive}
          onChange={(isPaused) => {
            const context = { now: Date.now(), timeZone: 'UTC' };
            const at = reported.to === undefined ? context.now : reported.to;
            setRange(isPaused ? pauseRange(range, at, context) : followRange(range, context), 'replace');
          }}
        />
      )}
    </div>
  );
}

const clientLoadChoices = loadGroupingChoices.filter(
  ({ value }) => value !== 'client' && value !== 'client-locality',
);

const mostClusters = 500;

/** The clusters of the client's load reports in the time range. */
function useReportedClusters() {
  const { subject } = useClientViewData();
  const { query } = useClientViewQuery(loadParams);
  const { extent } = useTimeRange();
  const params = { by: 'cluster', cluster: '', extent, limit: mostClusters };
  const { data } = useQuery(clientLoadSeriesOptions(subject, params));
  const names = data?.groups.flatMap(({ key }) => key.clusterName ?? []) ?? [];
  return {
    names,
    /** The cluster whose split is shown: the chosen one, or the one with the most load. Empty: none is known. */
    splitCluster: query.cluster !== '' ? query.cluster : (names[0] ?? ''),
    isUnreported: data !== undefined && names.length === 0 && query.cluster === '',
    /** The end of the time range by the server's clock. */
    to: data?.to,
  };
}
