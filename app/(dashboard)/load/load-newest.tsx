'use client';

import { useMemo } from 'react';
import { omitEmpty } from '@/app/_ask/query-text';
import { useQuestion } from '@/app/_ask/use-question';
import { PageTable } from '@/app/_components/shell/page-body';
import { formatCount } from '@/lib/format/count';
import { DataTable } from '../../_components/data-table';
import { Icon } from '../../_components/icon';
import { QueryContent } from '../../_components/query-content';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { useLiveStream } from '../../_stream/use-live-stream';
import { buildLoadLines, type LoadLine, loadColumns, narrowLoadColumns } from './load-columns';
import { NoLoad } from './no-load';

const lineId = (line: LoadLine) => line.id;
const initialSort = { columnId: 'client', descending: false };

interface LoadNewestProps {
  /** Empty: all. */
  readonly client: string;
  readonly cluster: string;
}

export function LoadNewest({ client, cluster }: LoadNewestProps) {
  useLiveStream('load');
  const query = useQuestion('load', omitEmpty({ client, cluster }));
  const rows = query.data?.items;
  const lines = useMemo(() => buildLoadLines(rows ?? []), [rows]);
  const isNarrow = useIsNarrow();
  return (
    <PageTable label="Latest reports">
      <QueryContent query={query} what="the load reports" rows={10}>
        {({ notes, items, total }) => (
          <>
            {notes.length > 0 && (
              <p className="flex items-center gap-1 border-line border-b px-4 py-2 text-sm text-timeout">
                <Icon name="warning" sizePx={12} />
                {notes.join(' ')}
              </p>
            )}
            {total > items.length && (
              <p className="border-line border-b px-4 py-2 text-muted text-sm">
                The {formatCount(items.length)} newest of {formatCount(total)} reports. Choose a client or a
                cluster to see others.
              </p>
            )}
            <DataTable
              label="Load by client, cluster and locality"
              rows={lines}
              columns={isNarrow ? narrowLoadColumns : loadColumns}
              rowId={lineId}
              sort={initialSort}
              rowHeightPx={42}
              className="flex-1"
              empty={<NoLoad />}
            />
          </>
        )}
      </QueryContent>
    </PageTable>
  );
}
