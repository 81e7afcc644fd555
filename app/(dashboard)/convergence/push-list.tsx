'use client';

import { useRouter } from 'next/navigation';
import { useCallback } from 'react';
import type { ConvergencePush } from '@/lib/api/convergence';
import { convergenceHref } from '../../_components/convergence-href';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { ErrorState } from '../../_components/error-state';
import { Skeleton } from '../../_components/skeleton';
import { useRecentConvergence } from '../../_hooks/convergence-queries';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { narrowPushColumns, pushColumns } from './push-columns';

const rowId = ({ subject }: ConvergencePush) => convergenceHref(subject);

/** The newest pushes, so that one finds what to open. */
export function PushList() {
  const { data, error, refetch } = useRecentConvergence(true);
  const isNarrow = useIsNarrow();
  const router = useRouter();
  const open = useCallback(({ subject }: ConvergencePush) => router.push(convergenceHref(subject)), [router]);
  return (
    <section
      aria-label="Newest pushes"
      className="flex min-h-80 flex-1 flex-col overflow-hidden rounded-lg border border-line bg-raised"
    >
      {data === undefined && error !== null && (
        <ErrorState title="The pushes could not be read" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton waitsFor="the newest pushes" rows={10} />}
      {data !== undefined && (
        <DataTable
          label="Newest pushes, and how many clients accepted them"
          rows={data.items}
          columns={isNarrow ? narrowPushColumns : pushColumns}
          rowId={rowId}
          onActivate={open}
          isSorted
          rowHeightPx={44}
          className="flex-1"
          empty={
            <EmptyState title="Nothing was seen being sent">
              Responses are seen by taps and by the probe, changes also by polling CSDS: add one under
              Sources.
            </EmptyState>
          }
        />
      )}
    </section>
  );
}
