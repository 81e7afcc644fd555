'use client';

import type { LabProcess } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';
import { formatLocality } from '@/lib/format/locality';
import { Button } from '../../_components/button';
import { NameText } from '../../_components/name-text';
import { StatusMark } from '../../_components/status-mark';
import { useRunBackend } from '../../_hooks/mutations';

const statuses = {
  starting: 'REQUESTED',
  running: 'HEALTHY',
  stopped: 'DRAINING',
  crashed: 'UNHEALTHY',
  absent: 'MISSING',
} as const;
const kinds: Readonly<Record<LabProcess['kind'], string>> = {
  'management-server': 'management server',
  backend: 'backend',
  client: 'xDS client (grpc-js)',
  'python-client': 'xDS client (C-core, Python)',
};

export function LabProcesses({ processes }: { readonly processes: readonly LabProcess[] }) {
  return (
    <ul className="divide-y divide-line">
      {processes.map((process) => (
        <LabProcessItem key={process.name} process={process} />
      ))}
    </ul>
  );
}

function LabProcessItem({ process }: { readonly process: LabProcess }) {
  const { name, kind, address, state, pid, restarts, locality, text } = process;
  return (
    <li className="grid gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[7rem_minmax(0,1fr)_auto] sm:items-center">
      <StatusMark status={statuses[state]} word={state} />
      <div className="min-w-0">
        <div className="flex flex-wrap items-baseline gap-x-2.5">
          <NameText name={name} className="font-medium" />
          <span className="text-[0.8571rem] text-muted">{kinds[kind]}</span>
          {locality !== null && (
            <span className="text-[0.8571rem] text-muted">{formatLocality(locality)}</span>
          )}
          {restarts > 0 && (
            <span className="text-[0.8571rem] text-timeout">{formatCounted(restarts, 'restart')}</span>
          )}
        </div>
        <p className="text-[0.8571rem] break-words text-muted">
          {address !== '' && <span className="mr-2 font-mono">{address}</span>}
          {pid !== null && <span className="mr-2">pid {pid}</span>}
          {text}
        </p>
      </div>
      {kind === 'backend' && (
        <BackendButton name={name} isRunning={state === 'running' || state === 'starting'} />
      )}
    </li>
  );
}

function BackendButton({ name, isRunning }: { readonly name: string; readonly isRunning: boolean }) {
  const run = useRunBackend();
  return (
    <div className="flex flex-col items-start gap-1 sm:items-end">
      <Button
        icon={isRunning ? 'pause' : 'play'}
        isPending={run.isPending}
        onPress={() => run.mutate({ name, running: !isRunning })}
        label={`${isRunning ? 'Stop' : 'Start'} ${name}`}
      >
        {isRunning ? 'Stop' : 'Start'}
      </Button>
      {run.error !== null && (
        <p role="alert" className="text-[0.8571rem] text-nacked">
          {run.error.message}
        </p>
      )}
    </div>
  );
}
