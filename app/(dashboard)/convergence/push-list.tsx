'use client';

import { useRouter } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { convergenceHref } from '../../_components/convergence-href';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { ErrorState } from '../../_components/error-state';
import { NotReadAgain } from '../../_components/not-read-again';
import { Skeleton } from '../../_components/skeleton';
import { useRecentConvergence } from '../../_hooks/convergence-queries';
import type { Extent } from '../../_hooks/query-keys';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { narrowPushColumns, type PushLine, pushColumns } from './push-columns';

const rowId = ({ subject }: PushLine) => convergenceHref(subject);

/** The newest pushes, so that one finds what to open. */
export function PushList({ extent }: { readonly extent: Extent }) {
  const { data, error, refetch } = useRecentConvergence(extent);
  const isNarrow = useIsNarrow();
  const router = useRouter();
  const { from, to } = extent;
  const lines = useMemo(
    () => data?.items.map((push): PushLine => ({ ...push, extent: { from, to } })),
    [data, from, to],
  );
  const open = useCallback(
    ({ subject, extent: at }: PushLine) => router.push(convergenceHref(subject, at)),
    [router],
  );
  return (
    <section
      aria-label="Newest pushes"
      className="flex min-h-80 flex-1 flex-col overflow-hidden rounded-lg border border-line bg-raised"
    >
      <NotReadAgain what="The pushes" data={lines} error={error} />
      {lines === undefined && error !== null && (
        <ErrorState title="The pushes could not be read" error={error} onRetry={() => void refetch()} />
      )}
      {lines === undefined && error === null && <Skeleton waitsFor="the newest pushes" rows={10} />}
      {lines !== undefined && (
        <DataTable
          label="Newest pushes, and how many clients accepted them"
          rows={lines}
          columns={isNarrow ? narrowPushColumns : pushColumns}
          rowId={rowId}
          onActivate={open}
          isSorted
          rowHeightPx={44}
          className="flex-1"
          empty={
            <EmptyState
              title={
                from === '' && to === '' ? 'Nothing was seen being sent' : 'Nothing was seen being sent then'
              }
            >
              Responses are seen by taps and by the probe, changes also by polling CSDS: add one under
              Sources.
            </EmptyState>
          }
        />
      )}
    </section>
  );
}
