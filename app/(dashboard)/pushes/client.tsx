'use client';

import { useQueryStates } from 'nuqs';
import { LinkTabs } from '../../_components/link-tabs';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { useTimeRange } from '../../_hooks/use-time-range';
import { PushList } from './push-list';
import { PushView } from './push-view';
import { ResourceList } from './resource-list';
import { pushesSearchParams, serializePushes } from './search-params';

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
