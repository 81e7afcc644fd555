'use client';

import { ErrorLine } from '@/app/_components/error-line';
import type { LabProcess } from '@/lib/api/lab';
import { useChangeBackend } from '../../_hooks/mutations';
import { NumberSetting } from './number-setting';
import { ProcessState } from './process-state';
import { RunButton } from './run-button';

/** One backend: how it is, how many of its calls it fails, and whether it runs. */
export function BackendItem({ backend }: { readonly backend: LabProcess }) {
  const { name, address, state, text, failPercent } = backend;
  const change = useChangeBackend();
  return (
    <li className="py-0.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.8571rem] text-muted">
        <span className="w-20 shrink-0">
          <ProcessState state={state} />
        </span>
        <span className="font-mono" title={`${name}, ${text}`}>
          {address}
        </span>
        <span className="ml-auto inline-flex items-center gap-3">
          <NumberSetting
            text="fail"
            label={`Share of its calls that ${name} fails`}
            unit="%"
            value={failPercent ?? 0}
            max={100}
            isPending={change.isPending}
            onSet={(percent) => change.mutate({ name, failPercent: percent })}
          />
          <RunButton
            what={name}
            isRunning={state === 'running' || state === 'starting'}
            isPending={change.isPending}
            onRun={(running) => change.mutate({ name, running })}
          />
        </span>
      </div>
      {state === 'crashed' && <p className="text-[0.8571rem] break-words text-nacked">{text}</p>}
      <ErrorLine error={change.error} />
    </li>
  );
}
