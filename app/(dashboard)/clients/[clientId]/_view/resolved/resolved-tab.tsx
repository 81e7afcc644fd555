'use client';

import dynamic from 'next/dynamic';
import { useCallback } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '@/app/_components/empty-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { loadOnInput } from '@/app/_components/load-on-input';
import { QueryContent } from '@/app/_components/query-content';
import { useDebounced } from '@/app/_hooks/use-debounced';
import type { Resolved } from '@/lib/api/resolved';
import { InspectorSide } from '../inspector-side';
import { useClientViewQuery } from '../use-client-view-query';
import { MissingList } from './missing-list';
import { ResolvedChains } from './resolved-chains';
import { ResolvedChooser } from './resolved-chooser';
import { ResolvedClusters } from './resolved-clusters';
import { ResolvedLists } from './resolved-lists';
import { ResolvedVerdict } from './resolved-verdict';
import { resolvedParams, resolvedQueryOf } from './search-params';

const ClusterSide = dynamic(() => import('./cluster-side').then(({ ClusterSide }) => ClusterSide));
loadOnInput(() => import('./cluster-side'));

const typingPauseMs = 300;

export function ResolvedTab() {
  const { query, setQuery, resource, openResource } = useClientViewQuery(resolvedParams);
  const clusters = useDebounced(query.clusters, typingPauseMs);
  const answer = useQuestion('resolved', resolvedQueryOf({ ...query, clusters }));
  const close = useCallback(() => {
    // The resource covers the cluster that led to it.
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
        <QueryContent
          query={answer}
          what="the effective config"
          rows={10}
          hint="Choose another listener or target above."
        >
          {(data) => <Answer resolved={data} isNext={answer.isPlaceholderData} />}
        </QueryContent>
      </div>
    </SplitView>
  );
}

interface AnswerProps {
  readonly resolved: Resolved;
  /** The data is of the previous request while the next one is loading. */
  readonly isNext: boolean;
}

function Answer({ resolved, isNext }: AnswerProps) {
  if (resolved.status === 'nothing') {
    return (
      <EmptyState title="No listener">
        The effective config starts at a listener, and the client reports none. A target can still be typed
        above.
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
