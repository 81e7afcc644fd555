'use client';

import { useState } from 'react';
import { useItems, useQuestion } from '@/app/_ask/use-question';
import { AddSourceDialog } from '@/app/_views/sources/add-source-dialog';
import { SourcesTable } from '@/app/_views/sources/sources-table';
import { formatCounted } from '@/lib/format/count';
import { describePolling } from '@/lib/views/sources/describe-cost';
import { Button } from '../../_components/button';
import { CertificatesPanel } from '../../_components/certificates/certificates-panel';
import { EmptyState } from '../../_components/empty-state';
import { Panel } from '../../_components/panel';
import { QueryContent } from '../../_components/query-content';
import { SettingsTabs } from '../../_components/settings-tabs';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { useLiveStream } from '../../_stream/use-live-stream';

export function SourcesPage() {
  useLiveStream('sources');
  const { data: sources, error, refetch } = useItems('sources', {});
  const polling = useQuestion('sources', {}).data?.polling;
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button tone="accent" icon="plus" onPress={() => setAdding(true)}>
      Add a source
    </Button>
  );
  const times = sources?.flatMap(({ lastSuccessAt }) => lastSuccessAt ?? []) ?? [];
  const silent = sources?.filter(({ state }) => state !== 'up').length ?? 0;

  return (
    <PageBody>
      <PageHead title="Sources" vantage="connected data sources" actions={add} />
      <SettingsTabs current="/sources" />
      <Panel
        title="Data sources"
        vantage="connections of xdscope"
        age={sources && (times.length === 0 ? null : Math.max(...times))}
        partial={silent === 0 ? '' : `${formatCounted(silent, 'source')} not connected`}
        flush
      >
        <QueryContent query={{ data: sources, error, refetch }} what="the sources">
          {(sources) => (
            <>
              {sources.length === 0 && (
                <EmptyState title="No sources configured" action={add}>
                  Add the CSDS address of a client or control plane, or the address of an ADS server.
                </EmptyState>
              )}
              {sources.length > 0 && <SourcesTable sources={sources} />}
              {polling !== undefined && polling.requestsPerSecond > 0 && (
                <p className="px-4 py-2 text-small text-muted">{describePolling(polling)}</p>
              )}
            </>
          )}
        </QueryContent>
      </Panel>
      <CertificatesPanel />
      <AddSourceDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </PageBody>
  );
}
