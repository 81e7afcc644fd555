'use client';

import { useQueryStates } from 'nuqs';
import { ConvergenceTabs } from '../../_components/convergence-tabs';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { isOpenSubject } from '../../_hooks/convergence-queries';
import { PushList } from './push-list';
import { convergenceSearchParams } from './search-params';
import { SubjectView } from './subject-view';

export function ConvergencePage() {
  const [params] = useQueryStates(convergenceSearchParams);
  const isOpen = isOpenSubject(params);
  return (
    <PageBody fills>
      <PageHead
        title="Convergence"
        vantage="what taps, the probe and CSDS told of who was sent what, and who accepted it"
      />
      <ConvergenceTabs current="convergence" />
      {isOpen ? <SubjectView params={params} /> : <PushList />}
    </PageBody>
  );
}
