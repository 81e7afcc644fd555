'use client';

import { useCallback } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { Skeleton } from '@/app/_components/skeleton';
import { StaleBanner } from '@/app/_components/stale-banner';
import type { Resolved } from '@/lib/api/resolved';
import { resolvedParamsOf } from '../../client-views';
import { InspectorSide } from '../inspector-side';
import { useClientViewQuery } from '../use-client-view-query';
import { useSettled } from '../use-settled';
import { ClusterSide } from './cluster-side';
import { MissingList } from './missing-list';
import { ResolvedChains } from './resolved-chains';
import { ResolvedChooser } from './resolved-chooser';
import { ResolvedClusters } from './resolved-clusters';
import { ResolvedLists } from './resolved-lists';
import { ResolvedVerdict } from './resolved-verdict';

const typingPauseMs = 300;

/** What does this client make of its resources, and what does it still wait for? */
export function ResolvedTab() {
  const { query, setQuery, resource, openResource } = useClientViewQuery();
  const clusters = useSettled(query.clusters, typingPauseMs);
  const answer = useQuestion('resolved', resolvedParamsOf({ ...query, clusters }));
  const close = useCallback(() => {
    // The resource lies over the cluster that led to it.
    if (resource !== null) openResource(null);
    else setQuery({ cluster: '' }, 'push');
  }, [resource, openResource, setQuery]);
  const side =
    resource !== null ? (
      <InspectorSide resource={resource} />
    ) : query.cluster !== '' ? (
      <ClusterSide name={query.cluster} onClose={close} />
    ) : null;
  return (
    <SplitView side={side} onClose={close}>
      <div className="@container relative min-h-0 flex-1 overflow-y-auto">
        <ResolvedChooser resolved={answer.data} />
        {answer.data !== undefined ? (
          <>
            {answer.isError && (
              <div className="px-4 pt-3">
                <StaleBanner>
                  <strong className="font-semibold">It could not be resolved again.</strong>{' '}
                  {answer.error.message}
                </StaleBanner>
              </div>
            )}
            <Answer resolved={answer.data} isNext={answer.isPlaceholderData} />
          </>
        ) : answer.isError ? (
          <ErrorState
            title="The config could not be resolved"
            error={answer.error}
            hint="Choose another listener or target above."
            onRetry={() => void answer.refetch()}
          />
        ) : (
          <Skeleton waitsFor="the resolved config" rows={10} />
        )}
      </div>
    </SplitView>
  );
}

interface AnswerProps {
  readonly resolved: Resolved;
  /** The answer to the question before: the next one is on its way. */
  readonly isNext: boolean;
}

function Answer({ resolved, isNext }: AnswerProps) {
  if (resolved.status === 'nothing') {
    return (
      <EmptyState title="The client holds no listener">
        Resolving begins with one. The client has asked for none yet, its last one went, or its source reports
        only of other types; a target can be typed above all the same.
      </EmptyState>
    );
  }
  return (
    <div aria-busy={isNext}>
      <ResolvedVerdict resolved={resolved} />
      {resolved.missing.length > 0 && <MissingList resolved={resolved} />}
      <ResolvedChains resolved={resolved} />
      <ResolvedClusters resolved={resolved} />
      <ResolvedLists resolved={resolved} />
    </div>
  );
}
