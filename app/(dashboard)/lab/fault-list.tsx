'use client';

import { ErrorLine } from '@/app/_components/error-line';
import type { LabStatus } from '@/lib/api/lab';
import { useCommand } from '../../_ask/use-command';
import { Button } from '../../_components/button';
import { EmptyState } from '../../_components/empty-state';
import { StatusMark } from '../../_components/status-mark';

type Fault = LabStatus['faults'][number];

export function FaultList({ faults }: { readonly faults: readonly Fault[] }) {
  if (faults.length === 0) return <EmptyState title="No faults available" />;
  return (
    <ul className="divide-y divide-line">
      {faults.map((one) => (
        <FaultItem key={one.name} fault={one} />
      ))}
    </ul>
  );
}

function FaultItem({ fault }: { readonly fault: Fault }) {
  const { name, text, active } = fault;
  const set = useCommand('POST lab/faults/{name}');
  return (
    <li className="flex items-center gap-4 px-4 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 font-medium">
          {name.replaceAll('-', ' ')}
          {active && <StatusMark status="NACKED" word="injected" sizePx={10} className="text-small" />}
        </p>
        <p className="note break-words">{text}</p>
        <ErrorLine error={set.error} />
      </div>
      <Button
        tone={active ? 'plain' : 'danger'}
        isPending={set.isPending}
        onPress={() => set.mutate({ name, active: !active })}
        label={`${active ? 'Revert' : 'Inject'} ${name}`}
      >
        {active ? 'Revert' : 'Inject'}
      </Button>
    </li>
  );
}
