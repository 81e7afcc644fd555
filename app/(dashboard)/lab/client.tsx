'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '../../_components/empty-state';
import { ErrorState } from '../../_components/error-state';
import { Panel } from '../../_components/panel';
import { SettingsTabs } from '../../_components/settings-tabs';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { Skeleton } from '../../_components/skeleton';
import { StartLabButton } from '../../_components/start-lab-button';
import { ApiError } from '../../_hooks/api-error';
import { useLiveStream } from '../../_stream/use-live-stream';
import { BackgroundFaultsSwitch } from './background-faults-switch';
import { FaultList } from './fault-list';
import { LabAssignments } from './lab-assignments';
import { LabProcesses } from './lab-processes';
import { LabResources } from './lab-resources';
import { MissionsPanel } from './missions-panel';

export function LabPage() {
  useLiveStream('lab');
  const { data: lab, error, refetch } = useQuestion('lab', {});
  if (lab === undefined) {
    if (error === null) return <Skeleton waitsFor="the lab" rows={10} />;
    return isOff(error) ? (
      <LabIsOff />
    ) : (
      <ErrorState title="The lab could not be read" error={error} onRetry={() => void refetch()} />
    );
  }
  if (!lab.running) return <LabIsOff />;
  const backends = lab.processes.filter(({ kind }) => kind === 'backend');
  const others = lab.processes.filter(({ kind }) => kind !== 'backend');
  const troubled = lab.processes.filter(({ state }) => state === 'crashed' || state === 'absent').length;
  return (
    <PageBody>
      <PageHead
        title="Lab"
        vantage="demo mesh: real xDS clients on this machine"
        partial={troubled === 0 ? '' : `${troubled} of ${lab.processes.length} processes crashed or absent`}
        actions={<BackgroundFaultsSwitch backgroundFaults={lab.backgroundFaults} />}
      />
      <SettingsTabs current="/lab" />
      <div className="grid items-start gap-3 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3">
          <MissionsPanel faults={lab.faults} />
          <Panel title="Faults" vantage="inject one, and see which clients NACK it" flush>
            <FaultList faults={lab.faults} />
          </Panel>
          <LabResources />
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          <Panel title="xDS clients and their server" vantage="on this machine" flush>
            <LabProcesses processes={others} />
          </Panel>
          <Panel id="endpoints" title="Endpoints" vantage="stopped endpoints become UNHEALTHY in EDS" flush>
            <LabAssignments assignments={lab.assignments} backends={backends} />
          </Panel>
        </div>
      </div>
    </PageBody>
  );
}

/** The server answers 404 or 409 if it has no lab. */
function isOff(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409);
}

function LabIsOff() {
  return (
    <PageBody>
      <PageHead title="Lab" vantage="the embedded mesh" />
      <SettingsTabs current="/lab" />
      <EmptyState title="The lab is not running" action={<StartLabButton />}>
        A management server, backends in several localities and real xDS clients, all on this machine. It ends
        with xdscope.
      </EmptyState>
    </PageBody>
  );
}
