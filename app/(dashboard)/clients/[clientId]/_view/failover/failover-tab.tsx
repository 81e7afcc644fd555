'use client';

import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { omitEmpty } from '@/app/_ask/client-question';
import { useClientViewData, useHasHistoryOf } from '@/app/_ask/client-view-data';
import { simulationOptions } from '@/app/_ask/failover-simulation';
import { useQuestion } from '@/app/_ask/use-question';
import { ErrorState } from '@/app/_components/error-state';
import { Skeleton } from '@/app/_components/skeleton';
import { StaleBanner } from '@/app/_components/stale-banner';
import { parseChangesText } from '@/lib/view-model/failover/failover-changes';
import { clusterParamsOf } from '../../client-views';
import { useClientViewQuery } from '../use-client-view-query';
import { FailoverChooser } from './failover-chooser';
import { LbTreeSection } from './lb-tree-section';
import { Simulator } from './simulator';
import { WhatHappened } from './what-happened';

/** So far a story goes; later changes make it longer. */
const usualSeconds = 60;

/** Who gets the requests of a cluster and why, and who would if these died? */
export function FailoverTab() {
  const { subject, snapshotAt } = useClientViewData();
  const hasHistory = useHasHistoryOf('failover');
  const { query } = useClientViewQuery();
  const changes = parseChangesText(query.changes);
  const last = Math.max(0, ...changes.map(({ at }) => at));
  const seconds = Math.min(3_600, Math.max(usualSeconds, last + usualSeconds, query.second));
  const params = clusterParamsOf(query);
  const [find, setFind] = useState('');
  const simulation = useQuery(
    simulationOptions(subject, { ...params, changes, seconds, find: useDeferredValue(find) }),
  );
  const tree = useQuestion('lb-tree', { ...params, ...omitEmpty({ node: query.policy }) });
  return (
    // What is placed in it stays in it: else the page itself could be scrolled.
    <div className="@container relative min-h-0 flex-1 overflow-y-auto">
      <FailoverChooser tree={tree.data} />
      {simulation.data !== undefined ? (
        <>
          {simulation.isError && (
            <div className="px-4 pt-3">
              <StaleBanner>
                <strong className="font-semibold">It could not be computed again.</strong>{' '}
                {simulation.error.message}
              </StaleBanner>
            </div>
          )}
          <Simulator
            simulation={simulation.data}
            changes={changes}
            seconds={seconds}
            isNext={simulation.isPlaceholderData}
            find={find}
            onFind={setFind}
          />
        </>
      ) : simulation.isError ? (
        <ErrorState
          title="Where requests go could not be computed"
          error={simulation.error}
          hint="Choose another cluster above."
          onRetry={() => void simulation.refetch()}
        />
      ) : (
        <Skeleton waitsFor="the cluster's endpoints" rows={8} />
      )}
      {hasHistory && <WhatHappened params={params} isStored={snapshotAt !== null} />}
      {tree.data !== undefined ? (
        <LbTreeSection answer={tree.data} isNext={tree.isPlaceholderData} />
      ) : tree.isError ? (
        <ErrorState
          title="The policies could not be read"
          error={tree.error}
          onRetry={() => void tree.refetch()}
        />
      ) : null}
    </div>
  );
}
