'use client';

import type { LabAssignment, LabProcess } from '@/lib/api/lab';
import { formatLocality, formatShortLocality } from '@/lib/format/locality';
import { NameText } from '../../_components/name-text';
import { useChangeAssignment, useChangeBackend } from '../../_hooks/mutations';
import { NumberSetting } from './number-setting';
import { ProcessState } from './process-state';
import { RunButton } from './run-button';

type Locality = LabAssignment['localities'][number];
type Backends = ReadonlyMap<string, LabProcess>;

interface LabAssignmentsProps {
  readonly assignments: readonly LabAssignment[];
  readonly backends: readonly LabProcess[];
}

/** Each ClusterLoadAssignment with its priorities, localities and backends, and what may be changed about them. */
export function LabAssignments({ assignments, backends }: LabAssignmentsProps) {
  const byName = new Map(backends.map((backend) => [backend.name, backend]));
  return (
    <ul className="divide-y divide-line">
      {assignments.map((assignment) => (
        <AssignmentItem key={assignment.name} assignment={assignment} backends={byName} />
      ))}
    </ul>
  );
}

function AssignmentItem({
  assignment,
  backends,
}: {
  readonly assignment: LabAssignment;
  readonly backends: Backends;
}) {
  const { name, dropPercent, localities } = assignment;
  const change = useChangeAssignment();
  const priorities = [...new Set(localities.map(({ priority }) => priority))];
  return (
    <li className="px-4 py-2" data-assignment={name}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <NameText name={name} className="font-medium" />
        <span className="ml-auto">
          <NumberSetting
            text="drop"
            label={`Share of the calls to ${name} that clients drop`}
            unit="%"
            value={dropPercent}
            max={100}
            isPending={change.isPending}
            onSet={(percent) => change.mutate({ name, dropPercent: percent })}
          />
        </span>
      </div>
      <ErrorLine error={change.error} />
      {priorities.map((priority) => (
        <PriorityGroup
          key={priority}
          assignment={name}
          priority={priority}
          isOnlyOne={priorities.length === 1}
          localities={localities.filter((each) => each.priority === priority)}
          backends={backends}
        />
      ))}
    </li>
  );
}

interface PriorityGroupProps {
  readonly assignment: string;
  readonly priority: number;
  readonly isOnlyOne: boolean;
  readonly localities: readonly Locality[];
  readonly backends: Backends;
}

function PriorityGroup({ assignment, priority, isOnlyOne, localities, backends }: PriorityGroupProps) {
  const change = useChangeAssignment();
  const isRunning = localities.some((locality) => hasRunning(locality, backends));
  return (
    <div className="mt-1.5">
      {!isOnlyOne && (
        <div className="flex items-center gap-3 text-[0.8571rem] text-muted">
          <span>priority {priority}</span>
          <span className="ml-auto">
            <RunButton
              what={`priority ${priority} of ${assignment}`}
              isRunning={isRunning}
              isPending={change.isPending}
              onRun={(running) => change.mutate({ name: assignment, priority, running })}
            />
          </span>
        </div>
      )}
      <ErrorLine error={change.error} />
      {localities.map((locality) => (
        <LocalityGroup
          key={locality.locality.zone}
          assignment={assignment}
          locality={locality}
          backends={backends}
        />
      ))}
    </div>
  );
}

interface LocalityGroupProps {
  readonly assignment: string;
  readonly locality: Locality;
  readonly backends: Backends;
}

function LocalityGroup({ assignment, locality: group, backends }: LocalityGroupProps) {
  const { priority, locality, weight, backends: names } = group;
  const change = useChangeAssignment();
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

function BackendItem({ backend }: { readonly backend: LabProcess }) {
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

function ErrorLine({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <p role="alert" className="text-[0.8571rem] break-words text-nacked">
      {error.message}
    </p>
  );
}

function hasRunning({ backends: names }: Locality, backends: Backends): boolean {
  return names.some((name) => backends.get(name)?.state === 'running');
}
