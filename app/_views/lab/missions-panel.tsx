'use client';

import Link from 'next/link';
import { useState } from 'react';
import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { ErrorLine } from '@/app/_components/error-line';
import { useHintHref } from '@/app/_components/missions/use-hint-href';
import { Panel } from '@/app/_components/panel';
import { type Hint, type Mission, missions } from '@/lib/views/lab/missions';
import type { LabStatus } from '@/lib/views/lab/schema';

/** Exercises on the lab, each with hints that lead to the screen where the next part of the answer is. */
export function MissionsPanel({ faults }: { readonly faults: LabStatus['faults'] }) {
  const hrefOf = useHintHref();
  return (
    <Panel
      id="missions"
      title="Missions"
      vantage="seven exercises; each hint marks what it is about on its screen"
      flush
    >
      <ol className="divide-y divide-line">
        {missions.map((mission) => (
          <li key={mission.id}>
            <MissionItem
              mission={mission}
              fault={faults.find(({ name }) => name === mission.fault)}
              hrefOf={hrefOf}
            />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

interface MissionItemProps {
  readonly mission: Mission;
  /** undefined: it needs none. */
  readonly fault: LabStatus['faults'][number] | undefined;
  /** undefined: the client is not connected yet. */
  readonly hrefOf: ReturnType<typeof useHintHref>;
}

function MissionItem({ mission, fault, hrefOf }: MissionItemProps) {
  const { title, task, hints, answer } = mission;
  const [shown, setShown] = useState(0);
  const isSolved = shown > hints.length;
  return (
    <details>
      <summary className="min-h-9 cursor-pointer px-4 py-2 font-medium hover:bg-hover">{title}</summary>
      <div className="flex flex-col items-start gap-2 px-4 pb-3">
        <p>{task}</p>
        {fault !== undefined && <FaultButton fault={fault} />}
        <ol aria-label="Hints" className="flex list-decimal flex-col gap-1 pl-5 empty:hidden">
          {hints.slice(0, shown).map((hint, index) => (
            <HintItem key={hint.text} hint={hint} href={hrefOf(mission, index)} />
          ))}
        </ol>
        {isSolved ? (
          <p className="text-muted">{answer}</p>
        ) : (
          <Button tone="quiet" onPress={() => setShown(shown + 1)}>
            {shown < hints.length ? `Show hint ${shown + 1} of ${hints.length}` : 'Show the answer'}
          </Button>
        )}
      </div>
    </details>
  );
}

function HintItem({ hint, href }: { readonly hint: Hint; readonly href: string | undefined }) {
  return (
    <li>
      {hint.text}{' '}
      {href === undefined ? (
        <span className="note">{hint.screen.client} is not connected yet.</span>
      ) : (
        <Link href={href} prefetch={false} className="link">
          {hint.screen.label}
        </Link>
      )}
    </li>
  );
}

function FaultButton({ fault: { name, active } }: { readonly fault: LabStatus['faults'][number] }) {
  const set = useCommand('POST lab/faults/{name}');
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Button isPending={set.isPending} onPress={() => set.mutate({ name, active: !active })}>
        {active ? 'End the mission: revert the fault' : 'Begin the mission: inject the fault'}
      </Button>
      <ErrorLine error={set.error} />
    </span>
  );
}
