'use client';

import { useCallback } from 'react';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { Pager } from '@/app/_components/pager';
import { SearchField } from '@/app/_components/search-field';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { formatCount } from '@/lib/format/count';
import { resolvedClusterStatuses } from '@/lib/resolve/xds-config';
import type { Resolved, ResolvedCluster } from '@/lib/views/resolved/schema';
import { FilterChip } from '../client/filter-chip';
import { useClientViewQuery } from '../client/use-client-view-query';
import { ClusterStatusMark, clusterColumns, clusterDetail, narrowClusterColumns } from './cluster-columns';
import { ResolvedSection } from './resolved-section';
import { clustersPerPage, resolvedParams } from './search-params';

/** A page of the clusters; there may be 30,000. */
export function ResolvedClusters({ resolved }: { readonly resolved: Resolved }) {
  const { query, setQuery } = useClientViewQuery(resolvedParams);
  const isNarrow = useIsNarrow();
  const { items, total, byStatus } = resolved.clusters;
  const all = byStatus.ok + byStatus.error + byStatus.waiting + byStatus.unknown;
  const openCluster = useCallback(
    ({ name }: ResolvedCluster) => setQuery({ cluster: name, resource: '', body: '' }, 'push'),
    [setQuery],
  );
  return (
    <ResolvedSection
      title="Clusters"
      count={total === all ? formatCount(all) : `${formatCount(total)} of ${formatCount(all)}`}
      actions={
        <>
          {all > 1 && (
            <SearchField
              label="Search the clusters’ names"
              placeholder="Name"
              value={query.clusters}
              onChange={(clusters) => setQuery({ clusters, offset: 0 })}
              className="w-56"
            />
          )}
          <fieldset aria-label="Statuses of clusters" className="flex flex-wrap gap-1">
            {resolvedClusterStatuses
              .filter((status) => byStatus[status] > 0 || query.cstatus === status)
              .map((status) => (
                <FilterChip
                  key={status}
                  count={byStatus[status]}
                  isSelected={query.cstatus === status}
                  onChange={(on) => setQuery({ cstatus: on ? status : '', offset: 0 })}
                >
                  <ClusterStatusMark status={status} />
                </FilterChip>
              ))}
          </fieldset>
          <Pager
            label="clusters"
            offset={resolved.clusters.offset}
            limit={clustersPerPage}
            total={total}
            onChange={(offset) => setQuery({ offset }, 'push')}
          />
        </>
      }
    >
      {all === 0 ? (
        <p className="px-4 pb-3 text-muted">
          {resolved.status === 'error' && resolved.chains.every((chain) => chain.virtualHostsTotal === 0)
            ? 'No route is in effect.'
            : 'No route refers to a cluster.'}
        </p>
      ) : (
        <DataTable
          label="Clusters of the resolved config"
          rows={items}
          columns={isNarrow ? narrowClusterColumns : clusterColumns}
          rowId={rowId}
          selectedId={query.cluster === '' ? null : query.cluster}
          onActivate={openCluster}
          detail={clusterDetail}
          className="max-h-[32rem] border-t border-line"
          empty={
            <EmptyState title="No cluster matches the filters">Change the filters to see more.</EmptyState>
          }
        />
      )}
    </ResolvedSection>
  );
}

const rowId = (row: ResolvedCluster) => row.name;
