'use client';

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useClientViewData, useHasHistoryOf } from '@/app/_ask/client-view-data';
import { simulationOptions } from '@/app/_ask/failover-simulation';
import { useQuestion } from '@/app/_ask/use-question';
import { QueryContent } from '@/app/_components/query-content';
import { parseChangesText } from '@/lib/views/failover/failover-changes';
import { nameOf } from '@/lib/xds/profile';
import { useClientViewQuery } from '../client/use-client-view-query';
import { FailoverChooser } from './failover-chooser';
import { LbTreeSection } from './lb-tree-section';
import { failoverParams, lbTreeQueryOf, trafficQueryOf } from './search-params';
import { Simulator } from './simulator';
import { useSides } from './use-sides';
import { WhatHappened } from './what-happened';

/** The default length of a simulation; later changes extend it. */
const usualSeconds = 60;

interface OwnOrComparedProps {
  /** The rules are those of the client. */
  readonly isOwn: boolean;
  readonly summary: string;
  readonly children: ReactNode;
}

/** What is compared with the client is shown on demand. */
function OwnOrCompared({ isOwn, summary, children }: OwnOrComparedProps) {
  if (isOwn) return children;
  return (
    <details className="pb-2">
      <summary className="min-h-8 cursor-pointer px-4 note">{summary}</summary>
      {children}
    </details>
  );
}

export function FailoverTab() {
  const { subject, snapshotAt } = useClientViewData();
  const hasHistory = useHasHistoryOf('failover');
  const [own] = useSides();
  const { query } = useClientViewQuery(failoverParams);
  const changes = parseChangesText(query.changes);
  const last = Math.max(0, ...changes.map(({ at }) => at));
  const seconds = Math.min(3_600, Math.max(usualSeconds, last + usualSeconds, query.second));
  const params = trafficQueryOf(query);
  const [find, setFind] = useState('');
  const simulation = useQuery(
    simulationOptions(subject, { ...params, changes, seconds, find: useDeferredValue(find) }),
  );
  const tree = useQuestion('lb-tree', lbTreeQueryOf(query));
  return (
    // Keeps absolutely positioned children inside, so that the page does not scroll.
    <div className="@container relative min-h-0 flex-1 overflow-y-auto">
      <FailoverChooser tree={tree.data} requests={simulation.data?.requests} />
      <QueryContent query={simulation} what="the simulation" rows={8} hint="Choose another cluster above.">
        {(data) => (
          <Simulator
            simulation={data}
            changes={changes}
            seconds={seconds}
            isNext={simulation.isPlaceholderData}
            find={find}
            onFind={setFind}
          />
        )}
      </QueryContent>
      {/* They follow the simulation, whose height is not known before. */}
      {!simulation.isPending && (
        <>
          {hasHistory && <WhatHappened params={params} isStored={snapshotAt !== null} />}
          <QueryContent query={tree} what="the LB policies">
            {(data) =>
              // Without a cluster, there are no policies either, and the simulation states why.
              data.tree !== undefined && (
                <OwnOrCompared
                  isOwn={own === 'grpc'}
                  summary={`LB policies that ${nameOf(data.profile)} would build of this config`}
                >
                  <LbTreeSection answer={data} tree={data.tree} isNext={tree.isPlaceholderData} />
                </OwnOrCompared>
              )
            }
          </QueryContent>
        </>
      )}
    </div>
  );
}
