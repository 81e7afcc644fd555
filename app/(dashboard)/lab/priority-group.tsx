'use client';

import { ErrorLine } from '@/app/_components/error-line';
import type { LabAssignment } from '@/lib/api/lab';
import { useChangeAssignment } from '../../_hooks/mutations';
import { type Backends, hasRunning, LocalityGroup } from './locality-group';
import { RunButton } from './run-button';

interface PriorityGroupProps {
  readonly assignment: string;
  readonly priority: number;
  readonly isOnlyOne: boolean;
  readonly localities: LabAssignment['localities'];
  readonly backends: Backends;
}

/** The localities of one priority, which may be stopped and started together. */
export function PriorityGroup({ assignment, priority, isOnlyOne, localities, backends }: PriorityGroupProps) {
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
