'use client';

import { HistoryView } from '@/app/_views/history/history-view';
import { ExportButton } from '../../_components/export/export-button';
import { PageBody, PageTable } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';

export function HistoryPage() {
  return (
    <PageBody fills>
      <PageHead title="History" vantage="all recorded xDS events" actions={<ExportButton />} />
      <PageTable label="History" className="min-h-[40rem] md:min-h-0">
        <HistoryView
          clientId={null}
          askTears={null}
          moment={null}
          title="History of all clients and sources"
        />
      </PageTable>
    </PageBody>
  );
}
