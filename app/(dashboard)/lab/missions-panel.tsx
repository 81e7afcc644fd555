'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import { ErrorLine } from '@/app/_components/error-line';
import type { LabStatus } from '@/lib/api/lab';
import { type Hint, type Mission, type MissionScreen, missions } from '@/lib/view-model/lab/missions';
import { Button } from '../../_components/button';
import { Panel } from '../../_components/panel';
import { fleetPageQuery } from '../../_hooks/fleet-queries';
import { labClientsQuestion } from '../../_hooks/query-keys';
import { useCommand } from '../../_hooks/use-command';

const mostClients = 50;

/** Exercises on the lab, each with hints that lead to the screen where the next part of the answer is. */
export function MissionsPanel({ faults }: { readonly faults: LabStatus['faults'] }) {
  const { data } = useQuery(fleetPageQuery(labClientsQuestion, 0, mostClients));
  const idOf = (nodeId: string) =>
    data?.items.flatMap((line) =>
      line.kind === 'client' && line.client.nodeId === nodeId ? [line.client.id] : [],
    )[0];
  const hrefOf = ({ client, path }: MissionScreen): string | undefined => {
    if (client === null) return path;
    const id = idOf(client);
    return id === undefined ? undefined : `/clients/${encodeURIComponent(id)}${path}`;
  };
  return (
    <Panel title="Missions" vantage="seven exercises; hints point at the screens" flush>
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
  readonly hrefOf: (screen: MissionScreen) => string | undefined;
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
          {hints.slice(0, shown).map((hint) => (
            <HintItem key={hint.text} hint={hint} href={hrefOf(hint.screen)} />
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
