'use client';

import { useMemo } from 'react';
import { ExportButton } from '../../_components/export/export-button';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { useFoundClients } from '../../_hooks/fleet-queries';
import { HistoryView } from './_view/history-view';

export function HistoryPage() {
  const { data: clients } = useFoundClients('');
  const choices = useMemo(
    () =>
      (clients ?? []).map(({ id, nodeId, scope }) => ({
        id,
        label: scope === '' ? nodeId : `${nodeId} ${scope}`,
      })),
    [clients],
  );
  return (
    <PageBody fills>
      <PageHead title="History" vantage="what xdscope recorded of every source" actions={<ExportButton />} />
      <section
        aria-label="History"
        className="flex min-h-[40rem] flex-1 flex-col overflow-hidden rounded-lg border border-line bg-raised md:min-h-0"
      >
        <HistoryView
          clientId={null}
          clients={choices}
          askTears={null}
          moment={null}
          title="History of all clients and sources"
        />
      </section>
    </PageBody>
  );
}
