'use client';

import type { ReactNode } from 'react';
import { ErrorLine } from '@/app/_components/error-line';
import type { LabProcess } from '@/lib/api/lab';
import { formatCounted } from '@/lib/format/count';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
import { useCommand } from '../../_ask/use-command';
import { NameText } from '../../_components/name-text';
import { ProcessState } from './process-state';
import { RunButton } from './run-button';

const kinds: Readonly<Record<LabProcess['kind'], string>> = {
  'management-server': 'management server',
  backend: 'backend',
  client: 'grpc-js',
  'python-client': 'C-core, Python',
  envoy: 'Envoy',
  'load-reporter': 'simulated Envoy',
};

export function LabProcesses({ processes }: { readonly processes: readonly LabProcess[] }) {
  return (
    <ul className="divide-y divide-line">
      {processes.map((process) => (
        <LabProcessItem key={process.name} process={process}>
          {process.kind === 'load-reporter' && <ReporterRun process={process} />}
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
        {locality !== null && <span title={formatLocality(locality)}>{formatShortLocality(locality)}</span>}
        {address !== '' && (
          <span className="font-mono" title={pid === null ? undefined : `pid ${pid}`}>
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

function ReporterRun({ process: { name, state } }: { readonly process: LabProcess }) {
  const set = useCommand('POST lab/load-reporter');
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
