'use client';

import { useQueryStates } from 'nuqs';
import { LinkTabs } from '../../_components/link-tabs';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { TimeExtent } from '../../_components/time-extent';
import { isOnePush } from '../../_hooks/push-queries';
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
  const [params, setParams] = useQueryStates(pushesSearchParams);
  const { view, from, to } = params;
  const isOne = isOnePush(params);
  return (
    <PageBody fills={!isOne && view === 'pushes'}>
      <PageHead
        title="Pushes"
        vantage="what control planes sent, and what each client answered"
        partial={to === '' ? '' : 'as known at the end of the chosen time range'}
      />
      <LinkTabs
        label="Views of pushes"
        tabs={views.map(({ view: value, label, description }) => ({
          href: serializePushes('/pushes', { view: value, from, to }),
          label,
          description,
          isCurrent: value === view,
        }))}
      />
      <TimeExtent extent={{ from, to }} onChange={(change) => void setParams(change)} />
      {isOne ? (
        <PushView params={params} />
      ) : view === 'pushes' ? (
        <PushList extent={{ from, to }} />
      ) : (
        <ResourceList params={params} onTypeChange={(type) => void setParams({ type })} />
      )}
    </PageBody>
  );
}
