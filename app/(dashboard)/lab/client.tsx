'use client';

import type { ReactNode } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { ErrorLine } from '@/app/_components/error-line';
import { LabAssignments } from '@/app/_views/lab/lab-assignments';
import { LabResources } from '@/app/_views/lab/lab-resources';
import { MissionsPanel } from '@/app/_views/lab/missions-panel';
import { ProcessState } from '@/app/_views/lab/process-state';
import { RunButton } from '@/app/_views/lab/run-button';
import { formatCounted } from '@/lib/format/count';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
import type { LabProcess, LabStatus } from '@/lib/views/lab/schema';
import { useCommand } from '../../_ask/use-command';
import { Button } from '../../_components/button';
import { EmptyState } from '../../_components/empty-state';
import { ErrorState } from '../../_components/error-state';
import { NameText } from '../../_components/name-text';
import { Panel } from '../../_components/panel';
import { SettingsTabs } from '../../_components/settings-tabs';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { Skeleton } from '../../_components/skeleton';
import { StartLabButton } from '../../_components/start-lab-button';
import { StatusMark } from '../../_components/status-mark';
import { ApiError } from '../../_hooks/api-error';
import { useLiveStream } from '../../_stream/use-live-stream';

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

function BackgroundFaultsSwitch({
  backgroundFaults,
}: {
  readonly backgroundFaults: LabStatus['backgroundFaults'];
}) {
  const set = useCommand('POST lab/background-faults');
  const shown = set.isPending ? set.variables.backgroundFaults : backgroundFaults;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <ErrorLine error={set.error} />
      <label className="flex cursor-pointer items-center gap-2">
        <input
          type="checkbox"
          role="switch"
          aria-checked={shown === 'on'}
          checked={shown === 'on'}
          disabled={set.isPending}
          onChange={({ target }) => set.mutate({ backgroundFaults: target.checked ? 'on' : 'off' })}
          className="h-5 w-9 cursor-pointer appearance-none rounded-full border border-line-strong bg-sunken p-0.5 transition before:block before:size-3.5 before:rounded-full before:bg-line-strong before:transition checked:border-accent checked:bg-accent checked:before:translate-x-4 checked:before:bg-on-accent"
        />
        <span title="At intervals a weight changes, an endpoint fails and recovers, or a fault is injected and reverted">
          Background faults {shown}
        </span>
      </label>
    </div>
  );
}

type Fault = LabStatus['faults'][number];

function FaultList({ faults }: { readonly faults: readonly Fault[] }) {
  if (faults.length === 0) return <EmptyState title="No faults available" />;
  return (
    <ul className="divide-y divide-line">
      {faults.map((one) => (
        <FaultItem key={one.name} fault={one} />
      ))}
    </ul>
  );
}

function FaultItem({ fault }: { readonly fault: Fault }) {
  const { name, text, active } = fault;
  const set = useCommand('POST lab/faults/{name}');
  return (
    <li className="flex items-center gap-4 px-4 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 font-medium">
          {name.replaceAll('-', ' ')}
          {active && <StatusMark status="NACKED" word="injected" sizePx={10} className="text-small" />}
        </p>
        <p className="note break-words">{text}</p>
        <ErrorLine error={set.error} />
      </div>
      <Button
        tone={active ? 'plain' : 'danger'}
        isPending={set.isPending}
        onPress={() => set.mutate({ name, active: !active })}
        label={`${active ? 'Revert' : 'Inject'} ${name}`}
      >
        {active ? 'Revert' : 'Inject'}
      </Button>
    </li>
  );
}

const kinds: Readonly<Record<LabProcess['kind'], string>> = {
  'management-server': 'management server',
  backend: 'backend',
  client: 'grpc-js',
  'python-client': 'C-core, Python',
  envoy: 'Envoy',
  'load-reporter': 'simulated Envoy',
};

function LabProcesses({ processes }: { readonly processes: readonly LabProcess[] }) {
  return (
    <ul className="divide-y divide-line">
      {processes.map((process) => (
        <LabProcessItem key={process.name} process={process}>
          {process.kind === 'load-reporter' && (
            <ProcessRun process={process} command="POST lab/load-reporter" />
          )}
          {process.kind === 'management-server' && (
            <ProcessRun process={process} command="POST lab/management-server" />
          )}
        </LabProcessItem>
      ))}
    </ul>
  );
}

interface LabProcessItemProps {
  readonly process: LabProcess;
  readonly children: ReactNode;
}

function LabProcessItem({ process, children }: LabProcessItemProps) {
  const { name, kind, address, state, pid, restarts, locality, text } = process;
  return (
    <li className="flex items-center gap-3 px-4 py-1.5">
      <span className="w-24 shrink-0">
        <ProcessState state={state} />
      </span>
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2.5 note">
        <NameText name={name} className="text-[1rem] text-text" />
        <span>{kinds[kind]}</span>
        {locality !== undefined && (
          <span title={formatLocality(locality)}>{formatShortLocality(locality)}</span>
        )}
        {address !== '' && (
          <span className="font-mono" title={pid === undefined ? undefined : `pid ${pid}`}>
            {address}
          </span>
        )}
        {restarts > 0 && <span className="text-timeout">{formatCounted(restarts, 'restart')}</span>}
        {text !== '' && <span className="min-w-0 break-words">{text}</span>}
      </div>
      {children}
    </li>
  );
}

interface ProcessRunProps {
  readonly process: LabProcess;
  readonly command: 'POST lab/load-reporter' | 'POST lab/management-server';
}

function ProcessRun({ process: { name, state }, command }: ProcessRunProps) {
  const set = useCommand(command);
  return (
    <div>
      <RunButton
        what={name}
        isRunning={state === 'running'}
        isPending={set.isPending}
        onRun={(running) => set.mutate({ running })}
      />
      <ErrorLine error={set.error} />
    </div>
  );
}
