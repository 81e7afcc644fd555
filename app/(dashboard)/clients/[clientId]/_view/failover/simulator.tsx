'use client';

import { EmptyState } from '@/app/_components/empty-state';
import type { FailoverChange, FailoverMoment, FailoverSimulation } from '@/lib/api/failover';
import { addChange, formatChangesText } from '@/lib/view-model/failover/failover-changes';
import { useClientViewQuery } from '../use-client-view-query';
import { ChangesList } from './changes-list';
import { SecondBar } from './second-bar';
import { SidePanel } from './side-panel';
import { WhatIfTable } from './what-if-table';

interface SimulatorProps {
  readonly simulation: FailoverSimulation;
  readonly changes: readonly FailoverChange[];
  readonly seconds: number;
  /** The answer to the question before: the next one is on its way. */
  readonly isNext: boolean;
  /** Of a large cluster, a part of the names that are looked for. */
  readonly find: string;
  readonly onFind: (find: string) => void;
}

/** Both semantics side by side at one second; what is done is done at that second. */
export function Simulator({ simulation, changes, seconds, isNext, find, onFind }: SimulatorProps) {
  const { query, setQuery } = useClientViewQuery();
  const { moments, notes } = simulation;
  const moment = momentAt(moments, query.second);
  if (moment === undefined) {
    return <EmptyState title="There is nothing to simulate">{notes.join('; ')}.</EmptyState>;
  }
  const setChanges = (next: readonly FailoverChange[]): void =>
    setQuery({ changes: formatChangesText(next) }, 'push');
  const change = (made: FailoverChange): void => setChanges(addChange(changes, made));
  return (
    <section aria-label="Failover" aria-busy={isNext} className="flex flex-col gap-3 p-4">
      <SecondBar moments={moments} seconds={seconds} />
      <div className="grid gap-3 @4xl:grid-cols-2">
        <SidePanel side="grpc" simulation={simulation} moment={moment} second={query.second} />
        <SidePanel side="envoy" simulation={simulation} moment={moment} second={query.second} />
      </div>
      <ChangesList
        simulation={simulation}
        changes={changes}
        onRemove={(at) => setChanges(changes.filter((_, index) => index !== at))}
        onClear={() => setChanges([])}
      />
      <WhatIfTable
        simulation={simulation}
        moment={moment}
        second={query.second}
        find={find}
        onFind={onFind}
        onChange={change}
      />
      {notes.length > 0 && (
        <ul className="text-[0.8571rem] text-muted">
          {notes.map((note) => (
            <li key={note}>{note}.</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Nothing changes between two moments. */
function momentAt(moments: readonly FailoverMoment[], second: number): FailoverMoment | undefined {
  return moments.findLast((moment) => moment.second <= second) ?? moments[0];
}
