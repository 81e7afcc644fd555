'use client';

import { Button } from '@/app/_components/button';
import { CloseButton } from '@/app/_components/close-button';
import { EmptyState } from '@/app/_components/empty-state';
import { StatusMark } from '@/app/_components/status-mark';
import { formatSentence } from '@/lib/format/sentence';
import { type Change, describeChange } from '@/lib/lb/simulator/change';
import { addChange, formatChangesText } from '@/lib/views/failover/failover-changes';
import type { FailoverMoment, FailoverSimulation } from '@/lib/views/failover/schema';
import { useClientViewQuery } from '../client/use-client-view-query';
import { failoverParams, requestsOf } from './search-params';
import { SecondBar } from './second-bar';
import { SidePanel } from './side-panel';
import { sideNames, useSides } from './use-sides';
import { WhatIfTable } from './what-if-table';

interface SimulatorProps {
  readonly simulation: FailoverSimulation;
  readonly changes: readonly Change[];
  readonly seconds: number;
  /** The data is of the previous request while the next one is loading. */
  readonly isNext: boolean;
  /** The search text for endpoints of large clusters. */
  readonly find: string;
  readonly onFind: (find: string) => void;
}

/** Both behaviors at one second; changes apply at that second. */
export function Simulator({ simulation, changes, seconds, isNext, find, onFind }: SimulatorProps) {
  const { query, setQuery } = useClientViewQuery(failoverParams);
  const sides = useSides();
  const { moments, notes, requests } = simulation;
  const moment = momentAt(moments, query.second);
  if (moment === undefined) {
    if (requests !== undefined && requests.chosen === undefined) return <RequestKinds requests={requests} />;
    const title = simulation.cluster === undefined ? 'Nothing to simulate' : 'Shares not known';
    return <EmptyState title={title}>{formatSentence(notes.join('; '))}</EmptyState>;
  }
  const setChanges = (next: readonly Change[]): void =>
    setQuery({ changes: formatChangesText(next) }, 'push');
  const change = (made: Change): void => setChanges(addChange(changes, made));
  return (
    <section aria-label="Failover" aria-busy={isNext} className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <SecondBar moments={moments} seconds={seconds} />
        <Button tone="quiet" onPress={() => setQuery({ both: !query.both })} className="ml-auto">
          {query.both ? 'Hide' : 'Show'} {sideNames[sides[1]]} rules
        </Button>
      </div>
      <div className={query.both ? 'grid gap-3 @4xl:grid-cols-2' : 'grid gap-3'}>
        {(query.both ? sides : sides.slice(0, 1)).map((side) => (
          <SidePanel key={side} side={side} simulation={simulation} moment={moment} second={query.second} />
        ))}
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
        <ul className="note">
          {notes.map((note) => (
            <li key={note}>{formatSentence(note)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function momentAt(moments: readonly FailoverMoment[], second: number): FailoverMoment | undefined {
  return moments.findLast((moment) => moment.second <= second) ?? moments[0];
}

interface ChangesListProps {
  readonly simulation: FailoverSimulation;
  readonly changes: readonly Change[];
  readonly onRemove: (index: number) => void;
  readonly onClear: () => void;
}

/** The changes of the simulation with their times, including those without effect. */
function ChangesList({ simulation, changes, onRemove, onClear }: ChangesListProps) {
  if (changes.length === 0) return null;
  const names = simulation.priorities.map(({ name }) => name);
  const missed = new Set(
    simulation.moments.flatMap((moment) => moment.missed.map((text) => `${moment.second} ${text}`)),
  );
  return (
    <section aria-label="Changes" className="flex flex-wrap items-center gap-1.5">
      <h3 className="note font-medium">Changes</h3>
      <ul className="contents">
        {changes.map((change, index) => {
          const text = describeChange(change, names);
          const isMissed = missed.has(`${change.at} ${text}`);
          return (
            <li
              key={JSON.stringify(change)}
              className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-sunken pl-2 text-small"
            >
              <span className="tabular-nums text-muted">{change.at} s</span>
              <span className="min-w-0 break-words wrap-anywhere">{text}</span>
              {isMissed && <span className="text-nacked">(no such endpoint)</span>}
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

const kindShapes = { ok: 'HEALTHY', error: 'NACKED', unknown: 'UNKNOWN' } as const;
const kindWords = { ok: 'find a host', error: 'fail', unknown: 'may fail' } as const;

interface RequestKindsProps {
  readonly requests: NonNullable<FailoverSimulation['requests']>;
}

/** The kinds of requests to a cluster with subsets, each of which has shares of its own. */
function RequestKinds({ requests: { items } }: RequestKindsProps) {
  const { setQuery } = useClientViewQuery(failoverParams);
  return (
    <section aria-label="Kinds of requests" className="flex flex-col gap-2 p-4">
      <p>
        The metadata of the route decides which hosts a request can reach, so that the shares differ. Choose
        the requests:
      </p>
      <ul className="flex flex-col gap-1.5">
        {items.map(({ id, text, status, reason }) => (
          <li key={id} className="break-words">
            <button
              type="button"
              className="min-h-6 text-left link"
              onClick={() => setQuery(requestsOf(id), 'push')}
            >
              {formatSentence(text).slice(0, -1)}
            </button>{' '}
            <StatusMark status={kindShapes[status]} word={kindWords[status]} />{' '}
            <span className="text-muted">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
