'use client';

import { ErrorLine } from '@/app/_components/error-line';
import type { LabAssignment, LabProcess } from '@/lib/api/lab';
import { NameText } from '../../_components/name-text';
import { useChangeAssignment } from '../../_hooks/mutations';
import type { Backends } from './locality-group';
import { NumberSetting } from './number-setting';
import { PriorityGroup } from './priority-group';

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
