'use client';

import { useQueryStates } from 'nuqs';
import { ConvergenceTabs } from '../../_components/convergence-tabs';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { TimeExtent } from '../../_components/time-extent';
import { isOpenSubject } from '../../_hooks/convergence-queries';
import { PushList } from './push-list';
import { convergenceSearchParams } from './search-params';
import { SubjectView } from './subject-view';

export function ConvergencePage() {
  const [params, setParams] = useQueryStates(convergenceSearchParams);
  const { from, to } = params;
  const isOpen = isOpenSubject(params);
  return (
    <PageBody fills>
      <PageHead
        title="Convergence"
        vantage="rollout of each config push across clients"
        partial={to === '' ? '' : 'as known at the end of the chosen time range'}
      />
      <ConvergenceTabs current="convergence" />
      <TimeExtent extent={{ from, to }} onChange={(change) => void setParams(change)} />
      {isOpen ? <SubjectView params={params} /> : <PushList extent={{ from, to }} />}
    </PageBody>
  );
}
