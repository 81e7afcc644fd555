'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { CloseButton } from '@/app/_components/close-button';
import { CopyButton } from '@/app/_components/copy-button';
import { EmptyState } from '@/app/_components/empty-state';
import { QueryContent } from '@/app/_components/query-content';
import type { ResolvedCluster } from '@/lib/views/resolved/schema';
import { CDS } from '@/lib/xds/resource-type';
import { resolveStartOf } from '../client/search-params';
import { useClientViewQuery } from '../client/use-client-view-query';
import { ClusterStateMark } from './cluster-columns';
import { ClusterFacts } from './cluster-facts';
import { ClusterPriorities } from './cluster-priorities';
import { ResourceButton } from './resource-button';
import { resolvedParams } from './search-params';

/** The counts include all endpoints. */
const mostEndpoints = 200;

interface ClusterSideProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function ClusterSide({ name, onClose }: ClusterSideProps) {
  const { query } = useClientViewQuery(resolvedParams);
  const params = { ...resolveStartOf(query), cluster: name, limit: 1, endpoints: mostEndpoints };
  // Data of another cluster must not be shown as a placeholder.
  const answer = useQuestion('resolved', params, { placeholderData: undefined });
  const cluster = answer.data?.clusters.items[0];
  return (
    <section aria-label="Cluster" className="@container flex min-h-full flex-col gap-4 p-4">
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 note">
            resolved cluster
            {cluster !== undefined && <ClusterStateMark cluster={cluster} />}
          </p>
          <h2 className="flex items-start gap-1 font-semibold">
            <span className="min-w-0 font-mono text-medium break-all" translate="no">
              {name}
            </span>
            <CopyButton text={name} label="Copy the name" />
          </h2>
        </div>
        <CloseButton label="Close the cluster" onClose={onClose} />
      </header>
      <QueryContent query={answer} what="the cluster">
        {() =>
          cluster !== undefined ? (
            <Content cluster={cluster} />
          ) : (
            <EmptyState
              title="Not part of this effective config"
              action={<ResourceButton resource={{ typeUrl: CDS.typeUrl, name }} name="Show the resource" />}
            >
              No route of this listener refers to the cluster.
            </EmptyState>
          )
        }
      </QueryContent>
    </section>
  );
}

function Content({ cluster }: { readonly cluster: ResolvedCluster }) {
  return (
    <>
      <ClusterFacts cluster={cluster} />
      {cluster.priorities.length > 0 && <ClusterPriorities cluster={cluster} />}
    </>
  );
}
