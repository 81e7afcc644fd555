'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { loadSeriesOptions } from '@/app/_ask/load-series';
import { omitEmpty } from '@/app/_ask/query-text';
import { requestPath } from '@/app/_ask/question';
import { useQuestion } from '@/app/_ask/use-question';
import { column } from '@/app/_components/column';
import { PageTable } from '@/app/_components/shell/page-body';
import type { Extent } from '@/app/_hooks/extent';
import type { LoadLine } from '@/app/_views/load/load-columns';
import { buildLoadLines, loadColumns, narrowLoadColumns } from '@/app/_views/load/load-columns';
import { LoadControls } from '@/app/_views/load/load-controls';
import { LoadGrid } from '@/app/_views/load/load-grid';
import { LoadPlaces } from '@/app/_views/load/load-places';
import { SplitPanel } from '@/app/_views/load/load-split';
import { NoLoad } from '@/app/_views/load/no-load';
import { type LoadView, loadSearchParams, loadViews, serialiseLoad } from '@/app/_views/load/search-params';
import { formatCount } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { splitPartOf } from '@/lib/lb/split-part';
import type { LoadGrouping, LoadSort } from '@/lib/load/load-question';
import { buildReporters, type LoadReporter } from '@/lib/views/load/build-reporters';
import { findLoadSort, loadGroupingChoices } from '@/lib/views/load/load-choices';
import type { LoadTotalsAnswer } from '@/lib/views/load/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { DataColumn } from '../../_components/data-column';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { Icon } from '../../_components/icon';
import { LinkTabs } from '../../_components/link-tabs';
import { NameText } from '../../_components/name-text';
import { Panel } from '../../_components/panel';
import { QueryContent } from '../../_components/query-content';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { StatusMark } from '../../_components/status-mark';
import { isLiveExtent } from '../../_hooks/extent';
import { useClockText } from '../../_hooks/use-clock-text';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { useTimeRange } from '../../_hooks/use-time-range';
import { useLiveStream } from '../../_stream/use-live-stream';

const viewTexts: Readonly<Record<LoadView, string>> = {
  time: 'Over time',
  split: 'Expected vs. actual',
  places: 'Traffic matrix',
  reporters: 'Reporters',
  newest: 'Latest reports',
};

const mostLines = 20;
const mostReporters = 1_000;

export function LoadPage() {
  const [params, setParams] = useQueryStates(loadSearchParams);
  const { extent, urlRange, isLive } = useTimeRange();
  const { view, by, cluster, client } = params;
  const question = { by, cluster, client, ...extent };
  const split = useSplitDefaults(question, view === 'split');
  // A time range with an end does not change.
  useLiveStream(...(isLive ? (['load'] as const) : []));
  return (
    <PageBody>
      <PageHead title="Load" vantage="load reports (LRS)" />
      <LinkTabs
        label="Load"
        tabs={loadViews.map((value) => ({
          href: serialiseLoad('/load', { ...params, ...urlRange, view: value }),
          label: viewTexts[value],
          isCurrent: value === view,
        }))}
      />
      <LoadControls
        params={view === 'split' ? { ...params, cluster: split.cluster, client: split.client } : params}
        onChange={(change) => void setParams(change)}
      />
      {view === 'time' && (
        <OverTime question={question} sort={params.sort} onSort={(sort) => void setParams({ sort })} />
      )}
      {view === 'split' && <Split question={question} choice={split} rules={params.rules} />}
      {view === 'places' && <Places question={question} />}
      {view === 'reporters' && <Reporters question={question} />}
      {view === 'newest' && <LoadNewest client={client} cluster={cluster} />}
    </PageBody>
  );
}

interface Asked {
  readonly question: LoadQuestion;
}

interface OverTimeProps extends Asked {
  readonly sort: string;
  readonly onSort: (sort: LoadSort) => void;
}

function OverTime({ question, sort: chosen, onSort }: OverTimeProps) {
  const choice = loadGroupingChoices.find(({ value }) => value === question.by) ?? loadGroupingChoices[0];
  const sort = choice === undefined ? 'size' : findLoadSort(choice, chosen);
  const measure = choice?.measures.join(',') ?? '';
  const asked = { ...omitEmpty(question), limit: mostLines, sort, measure };
  const { data, error, refetch } = useQuery(loadSeriesOptions(asked));
  const times = data?.groups.flatMap(({ totals }) => totals.lastAt ?? []);
  const newest = times && (times.length === 0 ? null : Math.max(...times));
  const csv = `/api/v1/${requestPath('load/series', { ...asked, format: 'csv' })}`;
  return (
    <Panel
      title={choice?.head ?? 'Load'}
      vantage="rates over each report’s interval; gaps: no report"
      age={newest}
      partial={data?.notes.join(' ')}
      actions={
        <a href={csv} download className="link-quiet">
          CSV
        </a>
      }
    >
      <QueryContent query={{ data, error, refetch }} what="the load reports" rows={8}>
        {(data) =>
          data.groups.length === 0 ? (
            <NoLoad by={question.by} />
          ) : choice !== undefined && data.by === choice.value ? (
            <LoadGrid answer={data} choice={choice} sort={sort} onSort={onSort} />
          ) : null
        }
      </QueryContent>
    </Panel>
  );
}

interface SplitProps extends Asked {
  readonly choice: SplitChoice;
  readonly rules: 'grpc' | 'envoy';
}

function Split({ question, choice: { cluster, client, isUnreported }, rules }: SplitProps) {
  const { data, error, refetch } = useQuestion(
    'load/split',
    { ...question, by: splitPartOf(question.by), cluster, client, rules },
    cluster === '' || client === '' ? { enabled: false } : {},
  );
  return <SplitPanel query={{ data, error, refetch }} unreported={isUnreported && <NoLoad by="cluster" />} />;
}

function Places({ question }: Asked) {
  const { data, error, refetch } = useQuestion('load/totals', {
    ...omitEmpty(question),
    by: 'source-locality',
    limit: mostReporters,
  });
  return (
    <Panel
      title="Traffic matrix"
      vantage="from each client’s own locality to the localities in its reports"
      partial={data?.notes.join(' ')}
    >
      <QueryContent query={{ data, error, refetch }} what="the load reports" rows={6}>
        {(data) => <LoadPlaces answer={data} />}
      </QueryContent>
    </Panel>
  );
}

function Reporters({ question }: Asked) {
  const { data, dataUpdatedAt, error, refetch } = useQuestion('load/totals', {
    ...omitEmpty(question),
    by: 'client',
    limit: mostReporters,
  });
  const cut = data !== undefined && data.othersCount > 0 ? `${data.othersCount} more with fewer reports` : '';
  return (
    <Panel
      title="Reporters"
      vantage="load reports in the time range"
      partial={[cut, ...(data?.notes ?? [])].filter((text) => text !== '').join(' ')}
      flush
    >
      <QueryContent query={{ data, error, refetch }} what="the load reports" rows={8}>
        {(data) => <LoadReporters answer={data} readAt={isLiveExtent(question) ? dataUpdatedAt : null} />}
      </QueryContent>
    </Panel>
  );
}

const lineId = (line: LoadLine) => line.id;
const initialSort = { columnId: 'client', descending: false };

interface LoadNewestProps {
  /** Empty: all. */
  readonly client: string;
  readonly cluster: string;
}

function LoadNewest({ client, cluster }: LoadNewestProps) {
  useLiveStream('load');
  const query = useQuestion('load', omitEmpty({ client, cluster }));
  const rows = query.data?.items;
  const lines = useMemo(() => buildLoadLines(rows ?? []), [rows]);
  const isNarrow = useIsNarrow();
  return (
    <PageTable label="Latest reports">
      <QueryContent query={query} what="the load reports" rows={10}>
        {({ notes, items, total }) => (
          <>
            {notes.length > 0 && (
              <p className="flex items-center gap-1 border-line border-b px-4 py-2 text-sm text-timeout">
                <Icon name="warning" sizePx={12} />
                {notes.join(' ')}
              </p>
            )}
            {total > items.length && (
              <p className="border-line border-b px-4 py-2 text-muted text-sm">
                The {formatCount(items.length)} newest of {formatCount(total)} reports. Choose a client or a
                cluster to see others.
              </p>
            )}
            <DataTable
              label="Load by client, cluster and locality"
              rows={lines}
              columns={isNarrow ? narrowLoadColumns : loadColumns}
              rowId={lineId}
              sort={initialSort}
              rowHeightPx={42}
              className="flex-1"
              empty={<NoLoad />}
            />
          </>
        )}
      </QueryContent>
    </PageTable>
  );
}

const stateMarks = {
  reports: { status: 'HEALTHY', word: 'reports' },
  silent: { status: 'TIMEOUT', word: 'stopped reporting' },
  unknown: { status: 'UNKNOWN', word: 'interval not reported' },
} as const;

type ReporterColumn = DataColumn<LoadReporter>;

const name: ReporterColumn = column('client', 'Client', (row) => row.name, {
  widthPx: 180,
  grows: true,
  as: (text, { clientId }) => (
    <Link href={`/load?by=cluster&client=${encodeURIComponent(clientId)}`} className="link-hover">
      <NameText name={text} />
    </Link>
  ),
});

const state: ReporterColumn = column('state', 'State', (row) => row.state, {
  description: 'Stopped reporting: no report for at least three of its intervals',
  widthPx: 130,
  as: (reported) => <StatusMark {...stateMarks[reported]} />,
});

const interval: ReporterColumn = column('interval', 'Interval', (row) => row.intervalMs, {
  as: formatDuration,
  align: 'right',
  widthPx: 90,
  description: 'Mean interval of its reports',
});

const reports: ReporterColumn = column('reports', 'Reports', (row) => row.reports, {
  as: 'count',
  description: 'Cluster reports in the time range',
  widthPx: 90,
});

const last: ReporterColumn = column('last', 'Newest', (row) => row.lastAt, { as: 'ago', widthPx: 100 });

interface LoadReportersProps {
  readonly answer: LoadTotalsAnswer;
  /** The time at which the answer was loaded, by this machine's clock; null: the time range has an end. */
  readonly readAt: EpochMs | null;
}

const checkEveryMs = 5_000;

function LoadReporters({ answer, readAt }: LoadReportersProps) {
  const isNarrow = useIsNarrow();
  // Without new reports, nothing is reloaded, so the state is also recomputed by time.
  const checks = Number(
    useClockText((now) => (readAt === null ? '0' : String(Math.floor((now - readAt) / checkEveryMs)))),
  );
  const rows = useMemo(() => buildReporters(answer, Math.max(0, checks) * checkEveryMs), [answer, checks]);
  return (
    <DataTable
      label="Clients that report load"
      rows={rows}
      columns={isNarrow ? [name, state, last] : [name, state, interval, reports, last]}
      rowId={({ clientId }) => clientId}
      className="max-h-[70vh] min-h-40"
      empty={<EmptyState title="No load reported in this time range" />}
    />
  );
}

interface LoadQuestion extends Extent {
  readonly by: LoadGrouping;
  /** Empty: all clusters. */
  readonly cluster: string;
  /** Empty: all clients. */
  readonly client: string;
}

interface SplitChoice {
  /** Empty: not known yet, or no load was reported. */
  readonly cluster: string;
  readonly client: string;
  readonly isUnreported: boolean;
}

/** Returns the client and cluster whose expected split is shown: the chosen ones, or else those with the most load. */
function useSplitDefaults(question: LoadQuestion, isShown: boolean): SplitChoice {
  const { from, to, client: chosenClient } = question;
  const busiest = { from, to, limit: 1 };
  const clusters = useQuestion(
    'load/totals',
    { ...busiest, by: 'cluster', ...omitEmpty({ client: chosenClient }) },
    isShown && question.cluster === '' ? {} : { enabled: false },
  ).data;
  const cluster = question.cluster !== '' ? question.cluster : (clusters?.groups[0]?.key.clusterName ?? '');
  const clients = useQuestion(
    'load/totals',
    { ...busiest, by: 'client', cluster },
    isShown && chosenClient === '' && cluster !== '' ? {} : { enabled: false },
  ).data;
  const client = chosenClient !== '' ? chosenClient : (clients?.groups[0]?.key.clientId ?? '');
  const isUnreported = clusters?.groups.length === 0 || clients?.groups.length === 0;
  return { cluster, client, isUnreported: isUnreported && (cluster === '' || client === '') };
}
