'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { ErrorLine } from '@/app/_components/error-line';
import { Panel } from '@/app/_components/panel';
import { ShareDialog } from '@/app/_components/share/share-dialog';
import { StaleBanner } from '@/app/_components/stale-banner';
import { apiRoot } from '@/app/_hooks/api-client';
import { describeRun } from '@/lib/views/server-checks/describe-run';
import type { CheckRunSummary } from '@/lib/views/server-checks/schema';
import { serverChecksHref, sharedRunHref } from './search-params';

interface RunPanelProps {
  readonly run: CheckRunSummary;
  /** The check that is shown, which a link opens again. */
  readonly checkId?: string;
}

/** The state of a run, with what can be done with it. */
export function RunPanel({ run, checkId }: RunPanelProps) {
  const { id, server, version, state, startedAt, endedAt, origin, verdicts, total, detail } = run;
  const isRunning = state === 'running';
  const name = version === undefined ? server : `${server} ${version}`;
  return (
    <Panel
      title={name}
      vantage={origin === 'repository' ? 'run that ships with xdscope' : 'run of this xdscope'}
      age={endedAt ?? startedAt}
      partial={isRunning ? `${Object.keys(verdicts).length} of ${total} checks` : ''}
      actions={
        <>
          {!isRunning && <RunLinks id={id} />}
          {!isRunning && <ShareRun id={id} checkId={checkId} />}
          {origin === 'page' && <RemoveRun id={id} isRunning={isRunning} />}
        </>
      }
    >
      <p role="status">{describeRun(run)}</p>
      {(state === 'failed' || state === 'stopped') && detail !== undefined && (
        <div className="pt-2">
          <StaleBanner>{detail}</StaleBanner>
        </div>
      )}
    </Panel>
  );
}

function RunLinks({ id }: { readonly id: string }) {
  const path = `${apiRoot}/interop/server-checks/${encodeURIComponent(id)}`;
  return (
    <span className="flex gap-3 text-medium">
      <a href={path} download={`server-checks-${id}.json`} className="link-quiet">
        JSON
      </a>
      <a href={`${path}?format=junit`} download={`server-checks-${id}.xml`} className="link-quiet">
        JUnit
      </a>
    </span>
  );
}

function ShareRun({ id, checkId = '' }: { readonly id: string; readonly checkId: string | undefined }) {
  const share = useCommand('POST interop/server-checks/{id}/share');
  const [sharedAt, setSharedAt] = useState<number | null>(null);
  const send = () => share.mutate({ id }, { onSuccess: () => setSharedAt(Date.now()) });
  return (
    <>
      <Button icon="share" onPress={send} isPending={share.isPending}>
        Share
      </Button>
      {!share.isIdle && (
        <ShareDialog
          onClose={share.reset}
          url={share.data && sharedRunHref(share.data.url, { check: checkId })}
          error={share.error}
          onRetry={send}
          storedAt={sharedAt}
          resources={undefined}
          keeps="the checks of this run with their messages"
        />
      )}
    </>
  );
}

function RemoveRun({ id, isRunning }: { readonly id: string; readonly isRunning: boolean }) {
  const remove = useCommand('DELETE interop/server-checks/{id}');
  const router = useRouter();
  const press = () =>
    remove.mutate({ id }, { onSuccess: () => !isRunning && router.push(serverChecksHref({})) });
  return (
    <>
      <ErrorLine error={remove.error} />
      <Button tone={isRunning ? 'danger' : 'quiet'} onPress={press} isPending={remove.isPending}>
        {isRunning ? 'Stop' : 'Remove'}
      </Button>
    </>
  );
}
