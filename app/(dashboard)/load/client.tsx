'use client';

import { useQuery } from '@tanstack/react-query';
import { useQueryStates } from 'nuqs';
import { loadSeriesOptions } from '@/app/_ask/load-series';
import { omitEmpty } from '@/app/_ask/query-text';
import { requestPath } from '@/app/_ask/question';
import { useQuestion } from '@/app/_ask/use-question';
import { splitPartOf } from '@/lib/lb/split-part';
import type { LoadSort } from '@/lib/load/load-question';
import { findLoadSort, loadGroupingChoices } from '@/lib/view-model/load/load-choices';
import { LinkTabs } from '../../_components/link-tabs';
import { Panel } from '../../_components/panel';
import { QueryContent } from '../../_components/query-content';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { isLiveExtent } from '../../_hooks/extent';
import { useTimeRange } from '../../_hooks/use-time-range';
import { useLiveStream } from '../../_stream/use-live-stream';
import { LoadControls } from './load-controls';
import { LoadGrid } from './load-grid';
import { LoadNewest } from './load-newest';
import { LoadPlaces } from './load-places';
import { LoadReporters } from './load-reporters';
import { LoadSplitTable } from './load-split';
import { NoLoad } from './no-load';
import { type LoadView, loadSearchParams, loadViews, serialiseLoad } from './search-params';
import { type LoadQuestion, type SplitChoice, useSplitDefaults } from './use-split-defaults';

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
  const newest =
    data?.groups
      .map(({ totals }) => totals.lastAt)
      .sort()
      .at(-1) ?? null;
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
  return (
    <Panel
      title="Expected vs. actual"
      vantage="derived from the client’s config with every endpoint as EDS states, and as the client reports it"
      partial={isUnreported ? undefined : data?.notes.join(' ')}
    >
      {isUnreported ? (
        <NoLoad by="cluster" />
      ) : (
        <QueryContent query={{ data, error, refetch }} what="the split" rows={4}>
          {(data) => <LoadSplitTable split={data} />}
        </QueryContent>
      )}
    </Panel>
  );
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
