'use client';

import type { LabProcess } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
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
  client: 'grpc-js',
  'python-client': 'C-core, Python',
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
    <li className="flex items-center gap-3 px-4 py-1.5">
      <span className="w-24 shrink-0">
        <StatusMark status={statuses[state]} word={state} />
      </span>
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2.5 text-[0.8571rem] text-muted">
        <NameText name={name} className="text-[1rem] text-text" />
        {kind !== 'backend' && <span>{kinds[kind]}</span>}
        {locality !== null && <span title={formatLocality(locality)}>{formatShortLocality(locality)}</span>}
        {address !== '' && (
          <span className="font-mono" title={pid === null ? undefined : `pid ${pid}`}>
            {address}
          </span>
        )}
        {restarts > 0 && <span className="text-timeout">{formatCounted(restarts, 'restart')}</span>}
        {text !== '' && <span className="min-w-0 break-words">{text}</span>}
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
    <div className="flex flex-col items-end gap-1">
      <Button
        tone="quiet"
        icon={isRunning ? 'pause' : 'play'}
        isPending={run.isPending}
        onPress={() => run.mutate({ name, running: !isRunning })}
        label={`${isRunning ? 'Stop' : 'Start'} ${name}`}
        className="h-6.5"
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
