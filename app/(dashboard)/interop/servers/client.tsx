'use client';

import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { useState } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { EmptyState } from '@/app/_components/empty-state';
import { InteropTabs } from '@/app/_components/interop-tabs';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { ControlPlanesPanel } from '@/app/_views/control-planes/control-planes-panel';
import { CheckDetail } from '@/app/_views/server-checks/check-detail';
import { CheckTable } from '@/app/_views/server-checks/check-table';
import { RunList } from '@/app/_views/server-checks/run-list';
import { RunPanel } from '@/app/_views/server-checks/run-panel';
import { serverChecksHref, serverChecksSearchParams } from '@/app/_views/server-checks/search-params';
import { StartRunDialog } from '@/app/_views/server-checks/start-run-dialog';
import { formatCounted } from '@/lib/format/count';

export function ServersPage() {
  const [{ run: runId, check: checkId }] = useQueryStates(serverChecksSearchParams);
  const query = useQuestion('interop/server-checks', {});
  const [isStarting, setStarting] = useState(false);
  const runs = query.data?.items ?? [];
  const own = runs.filter(({ origin }) => origin === 'page');
  const chosen = runs.find(({ id }) => id === runId);
  const start = (
    <Button tone="accent" icon="play" onPress={() => setStarting(true)} isDisabled={query.data === undefined}>
      Check a server
    </Button>
  );
  return (
    <PageBody>
      <PageHead
        title="Servers"
        vantage="management servers, by the rules of the xDS transport protocol"
        actions={start}
      />
      <InteropTabs current="/interop/servers" />
      <QueryContent query={query} what="the server checks" rows={12}>
        {({ checks, items }) => (
          <>
            {runId !== '' && chosen === undefined && (
              <EmptyState title="No such run">
                No run has the id {runId}: it was removed, or 50 later runs have replaced it. Share a run to
                keep it.
              </EmptyState>
            )}
            {chosen !== undefined && <RunPanel run={chosen} checkId={checkId} />}
            {chosen !== undefined && checkId !== '' ? (
              <>
                <Link href={serverChecksHref({ run: runId })} className="link-quiet">
                  All checks of this run
                </Link>
                <CheckDetail key={checkId} run={chosen} checkId={checkId} runs={items} />
              </>
            ) : (
              <Panel
                title="Checks"
                vantage={`${formatCounted(checks.length, 'check')} by section of the protocol`}
                partial={own.length === 0 ? 'no server was checked here yet' : ''}
                flush
              >
                <CheckTable checks={checks} runs={items} chosenId={runId} />
              </Panel>
            )}
            {runId === '' && <ControlPlanesPanel />}
            {own.length > 0 && <RunList runs={own} />}
            {isStarting && <StartRunDialog checks={checks} onClose={() => setStarting(false)} />}
          </>
        )}
      </QueryContent>
    </PageBody>
  );
}
