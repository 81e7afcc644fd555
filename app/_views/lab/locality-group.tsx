'use client';

import { useCommand } from '@/app/_ask/use-command';
import { ErrorLine } from '@/app/_components/error-line';
import { NumberSetting } from '@/app/_components/number-setting';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
import type { LabAssignment, LabProcess } from '@/lib/views/lab/schema';
import { ProcessState } from './process-state';
import { RunButton } from './run-button';

type Locality = LabAssignment['localities'][number];

/** The processes of the backends by name. */
export type Backends = ReadonlyMap<string, LabProcess>;

interface LocalityGroupProps {
  readonly assignment: string;
  readonly locality: Locality;
  readonly backends: Backends;
}

export function LocalityGroup({ assignment, locality: group, backends }: LocalityGroupProps) {
  const { priority, locality, weight, backends: names } = group;
  const change = useCommand('POST lab/assignments/{name}');
  const address = { name: assignment, priority, zone: locality.zone };
  const what = `${locality.zone} of ${assignment}`;
  return (
    <div className="mt-1 border-l-2 border-line pl-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span title={formatLocality(locality)}>{formatShortLocality(locality)}</span>
        <span className="ml-auto inline-flex items-center gap-3">
          <NumberSetting
            text="weight"
            label={`Weight of ${what}`}
            value={weight}
            max={10_000}
            isPending={change.isPending}
            onSet={(next) => change.mutate({ ...address, weight: next })}
          />
          {names.length > 1 && (
            <RunButton
              what={what}
              isRunning={hasRunning(group, backends)}
              isPending={change.isPending}
              onRun={(running) => change.mutate({ ...address, running })}
            />
          )}
        </span>
      </div>
      <ErrorLine error={change.error} />
      <ul>
        {names.map((name) => {
          const backend = backends.get(name);
          return backend === undefined ? null : <BackendItem key={name} backend={backend} />;
        })}
      </ul>
    </div>
  );
}

export function hasRunning({ backends: names }: Locality, backends: Backends): boolean {
  return names.some((name) => backends.get(name)?.state === 'running');
}

function BackendItem({ backend }: { readonly backend: LabProcess }) {
  const { name, address, state, text, failPercent } = backend;
  const change = useCommand('POST lab/backends/{name}');
  return (
    <li className="py-0.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 note">
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
      {state === 'crashed' && <p className="text-small break-words text-nacked">{text}</p>}
      <ErrorLine error={change.error} />
    </li>
  );
}
