'use client';

import { useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { PageTable } from '@/app/_components/shell/page-body';
import { narrowPushColumns, type PushLine, pushColumns } from '@/app/_views/pushes/push-columns';
import { PushView } from '@/app/_views/pushes/push-view';
import { ResourceList } from '@/app/_views/pushes/resource-list';
import { pushesSearchParams, serializePushes } from '@/app/_views/pushes/search-params';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { LinkTabs } from '../../_components/link-tabs';
import { pushHref } from '../../_components/push-href';
import { QueryContent } from '../../_components/query-content';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import type { Extent } from '../../_hooks/extent';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { useTimeRange } from '../../_hooks/use-time-range';

const views = [
  {
    view: 'pushes',
    label: 'By push',
    description: 'Each version that a control plane sent, with the answers of its clients.',
  },
  {
    view: 'resources',
    label: 'By resource',
    description: 'The resources that change most, and pushes without new content.',
  },
] as const;

export function PushesPage() {
  const [query, setParams] = useQueryStates(pushesSearchParams);
  const { urlRange, isLive } = useTimeRange();
  const params = { ...query, ...urlRange };
  const { view } = params;
  const { type, version, resource } = params;
  const isOne = type !== '' && (version !== '' || resource !== '');
  return (
    <PageBody fills={!isOne && view === 'pushes'}>
      <PageHead
        title="Pushes"
        vantage="what control planes sent, and what each client answered"
        partial={isLive ? '' : 'as known at the end of the chosen time range'}
      />
      <LinkTabs
        label="Views of pushes"
        tabs={views.map(({ view: value, label, description }) => ({
          href: serializePushes('/pushes', { view: value, ...urlRange }),
          label,
          description,
          isCurrent: value === view,
        }))}
      />
      {isOne ? (
        <PushView params={params} />
      ) : view === 'pushes' ? (
        <PushList extent={urlRange} />
      ) : (
        <ResourceList params={params} onTypeChange={(type) => void setParams({ type })} />
      )}
    </PageBody>
  );
}

const rowId = ({ subject }: PushLine) => pushHref(subject);

function PushList({ extent }: { readonly extent: Extent }) {
  const { data, error, refetch } = useQuestion('convergence/recent', { ...extent, limit: 50 });
  const isNarrow = useIsNarrow();
  const router = useRouter();
  const { from, to } = extent;
  const lines = useMemo(
    () => data?.items.map((push): PushLine => ({ ...push, extent: { from, to } })),
    [data, from, to],
  );
  const open = useCallback(
    ({ subject, extent: at }: PushLine) => router.push(pushHref(subject, at)),
    [router],
  );
  return (
    <PageTable label="Newest pushes">
      <QueryContent query={{ data: lines, error, refetch }} what="the newest pushes" rows={10}>
        {(lines) => (
          <DataTable
            label="Newest pushes, and how many clients ACKed them"
            rows={lines}
            columns={isNarrow ? narrowPushColumns : pushColumns}
            rowId={rowId}
            onActivate={open}
            isSorted
            rowHeightPx={44}
            className="flex-1"
            empty={
              <EmptyState title={from === '' && to === '' ? 'No pushes yet' : 'No pushes in this time range'}>
                Taps and the probe see responses; CSDS polls see changes. Add one of them under Sources.
              </EmptyState>
            }
          />
        )}
      </QueryContent>
    </PageTable>
  );
}
