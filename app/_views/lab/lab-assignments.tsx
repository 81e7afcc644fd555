'use client';

import { useCommand } from '@/app/_ask/use-command';
import { ErrorLine } from '@/app/_components/error-line';
import { NameText } from '@/app/_components/name-text';
import { NumberSetting } from '@/app/_components/number-setting';
import type { LabAssignment, LabProcess } from '@/lib/views/lab/schema';
import { type Backends, hasRunning, LocalityGroup } from './locality-group';
import { RunButton } from './run-button';

interface LabAssignmentsProps {
  readonly assignments: readonly LabAssignment[];
  readonly backends: readonly LabProcess[];
}

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
  const change = useCommand('POST lab/assignments/{name}');
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
  readonly localities: LabAssignment['localities'];
  readonly backends: Backends;
}

function PriorityGroup({ assignment, priority, isOnlyOne, localities, backends }: PriorityGroupProps) {
  const change = useCommand('POST lab/assignments/{name}');
  const isRunning = localities.some((locality) => hasRunning(locality, backends));
  return (
    <div className="mt-1.5">
      {!isOnlyOne && (
        <div className="flex items-center gap-3 note">
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
