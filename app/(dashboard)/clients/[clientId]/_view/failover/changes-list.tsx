'use client';

import { Button } from '@/app/_components/button';
import { CloseButton } from '@/app/_components/close-button';
import type { FailoverChange, FailoverSimulation } from '@/lib/api/failover';
import { describeChange } from '@/lib/lb/simulator/change';

interface ChangesListProps {
  readonly simulation: FailoverSimulation;
  readonly changes: readonly FailoverChange[];
  readonly onRemove: (index: number) => void;
  readonly onClear: () => void;
}

/** What is done, and when; what concerns nobody any more says so. */
export function ChangesList({ simulation, changes, onRemove, onClear }: ChangesListProps) {
  if (changes.length === 0) return null;
  const names = simulation.priorities.map(({ name }) => name);
  const missed = new Set(
    simulation.moments.flatMap((moment) => moment.missed.map((text) => `${moment.second} ${text}`)),
  );
  return (
    <section aria-label="What is done" className="flex flex-wrap items-center gap-1.5">
      <h3 className="text-[0.8571rem] font-medium text-muted">Done</h3>
      <ul className="contents">
        {changes.map((change, index) => {
          const text = describeChange(change, names);
          const isMissed = missed.has(`${change.at} ${text}`);
          return (
            <li
              key={JSON.stringify(change)}
              className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-sunken pl-2 text-[0.8571rem]"
            >
              <span className="tabular-nums text-muted">{change.at} s</span>
              <span className="min-w-0 break-words [overflow-wrap:anywhere]">{text}</span>
              {isMissed && <span className="text-nacked">(there is none)</span>}
              <CloseButton label={`Undo: ${text}`} onClose={() => onRemove(index)} />
            </li>
          );
        })}
      </ul>
      <Button tone="quiet" onPress={onClear}>
        Undo all
      </Button>
    </section>
  );
}
