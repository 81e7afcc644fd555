'use client';

import { useRouter } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { PageTable } from '@/app/_components/shell/page-body';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { pushHref } from '../../_components/push-href';
import { QueryContent } from '../../_components/query-content';
import type { Extent } from '../../_hooks/extent';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { narrowPushColumns, type PushLine, pushColumns } from './push-columns';

const rowId = ({ subject }: PushLine) => pushHref(subject);

export function PushList({ extent }: { readonly extent: Extent }) {
  const { data, error, refetch } = useQuestion('convergence/recent', { ...extent, limit: 50 });
  const isNarrow = useIsNarrow();
  const router = useRouter();
  const { from, to } = extent;
  const lines = useMemo(
    () => data?.items.map((push): PushLine => ({ ...push, extent: { from, to } })),
    [data, from, to],
  );
  const open = useCallback(
    ({ subject, extent: at }: PushLine) => router.push(pushHref(subject, at)),
    [router],
  );
  return (
    <PageTable label="Newest pushes">
      <QueryContent query={{ data: lines, error, refetch }} what="the newest pushes" rows={10}>
        {(lines) => (
          <DataTable
            label="Newest pushes, and how many clients ACKed them"
            rows={lines}
            columns={isNarrow ? narrowPushColumns : pushColumns}
            rowId={rowId}
            onActivate={open}
            isSorted
            rowHeightPx={44}
            className="flex-1"
            empty={
              <EmptyState title={from === '' && to === '' ? 'No pushes yet' : 'No pushes in this time range'}>
                Taps and the probe see responses; CSDS polls see changes. Add one of them under Sources.
              </EmptyState>
            }
          />
        )}
      </QueryContent>
    </PageTable>
  );
}
