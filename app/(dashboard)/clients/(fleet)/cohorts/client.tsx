'use client';

import { useQueryStates } from 'nuqs';
import { useDeferredValue } from 'react';
import { omitEmpty } from '@/app/_ask/query-text';
import { useQuestion } from '@/app/_ask/use-question';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { CohortsList } from '@/app/_views/fleet/cohorts-list';
import { FleetFilterField } from '@/app/_views/fleet/fleet-filter-field';
import { FleetTabs } from '@/app/_views/fleet/fleet-tabs';
import { cohortsSearchParams, cohortsUrlKeys } from '@/app/_views/fleet/search-params';
import { SeparatorsList } from '@/app/_views/fleet/separators-list';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { CohortsAnswer } from '@/lib/views/fleet/schema';
import { EmptyState } from '../../../../_components/empty-state';
import { Panel } from '../../../../_components/panel';
import { QueryContent } from '../../../../_components/query-content';
import { PageBody } from '../../../../_components/shell/page-body';
import { PageHead } from '../../../../_components/shell/page-head';

export function CohortsPage() {
  useLiveStream('fleet');
  const [{ filter, type }, setParams] = useQueryStates(cohortsSearchParams, {
    urlKeys: cohortsUrlKeys,
    history: 'replace',
    throttleMs: 200,
  });
  const q = useDeferredValue(filter);
  const { data, error, refetch } = useQuestion('cohorts', { q, ...omitEmpty({ type }) });
  return (
    <PageBody>
      <PageHead
        title="Clients"
        vantage="clients grouped by the config they hold, ignoring versions and order"
      />
      <FleetTabs current="cohorts" filter={filter} />
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <FleetFilterField
          value={filter}
          onChange={(text) => setParams({ filter: text === '' ? null : text })}
          placeholder="Only clients such as cluster=team-1"
          className="w-full md:w-105"
        />
        <label className="flex h-8 items-center gap-1.5 note">
          Compare
          <select
            value={type}
            onChange={(event) => setParams({ type: event.target.value === '' ? null : event.target.value })}
            className="h-8 rounded-md border border-line-strong bg-raised px-2 text-text"
          >
            <option value="">all types</option>
            {(data?.types ?? []).map(({ typeUrl, service, contents }) => (
              <option key={typeUrl} value={service}>
                {service}: {formatCounted(contents, 'content')}
              </option>
            ))}
          </select>
        </label>
      </div>
      <QueryContent query={{ data, error, refetch }} what="the cohorts" rows={6}>
        {(data) => <Cohorts reported={data} type={type} />}
      </QueryContent>
    </PageBody>
  );
}

function Cohorts({ reported, type }: { readonly reported: CohortsAnswer; readonly type: string }) {
  if (reported.clients === 0) {
    return <EmptyState title="No client config to compare">{leftOut(reported)}</EmptyState>;
  }
  return (
    <>
      <Panel title={verdictOf(reported)} vantage={leftOut(reported)}>
        {reported.alike === 1 && reported.clients > 1 ? (
          <p className="text-muted">There is no larger cohort to compare them with.</p>
        ) : reported.differ === 0 ? (
          <p className="text-muted">
            {formatCounted(reported.clients, 'client')} hold equal {type === '' ? 'resources' : type}.
          </p>
        ) : (
          <SeparatorsList separators={reported.separators} />
        )}
      </Panel>
      <Panel title={formatCounted(reported.total, 'cohort')} vantage="largest first" flush>
        <CohortsList reported={reported} />
      </Panel>
    </>
  );
}

function verdictOf({ alike, differ, clients }: CohortsAnswer): string {
  if (alike === 1 && clients > 1) return `No two of ${formatCounted(clients, 'client')} are identical`;
  return differ === 0
    ? `${formatCount(alike)} identical`
    : `${formatCount(alike)} identical, ${formatCount(differ)} ${differ === 1 ? 'differs' : 'differ'}`;
}

function leftOut({ without, gone, probes, files }: CohortsAnswer): string {
  const parts = [
    without > 0 ? `${formatCounted(without, 'client')} excluded: their resources are not reported` : '',
    gone > 0 ? `${formatCounted(gone, 'client')} gone` : '',
    probes > 0 ? `${formatCounted(probes, 'probe')} of xdscope excluded` : '',
    files > 0 ? `${formatCounted(files, 'imported client')} excluded` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'all clients' : parts.join('; ');
}
