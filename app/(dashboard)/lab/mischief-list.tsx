'use client';

import type { LabStatus } from '@/lib/api/lab';
import { Button } from '../../_components/button';
import { EmptyState } from '../../_components/empty-state';
import { StatusMark } from '../../_components/status-mark';
import { useMischief } from '../../_hooks/mutations';

type Mischief = LabStatus['mischief'][number];

export function MischiefList({ mischief }: { readonly mischief: readonly Mischief[] }) {
  if (mischief.length === 0) return <EmptyState title="This lab has no bad resources" />;
  return (
    <ul className="divide-y divide-line">
      {mischief.map((one) => (
        <MischiefItem key={one.name} mischief={one} />
      ))}
    </ul>
  );
}

function MischiefItem({ mischief }: { readonly mischief: Mischief }) {
  const { name, text, active } = mischief;
  const set = useMischief();
  return (
    <li className="flex items-center gap-4 px-4 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 font-medium">
          {name.replaceAll('-', ' ')}
          {active && <StatusMark status="NACKED" word="pushed" sizePx={10} className="text-[0.8571rem]" />}
        </p>
        <p className="text-[0.8571rem] break-words text-muted">{text}</p>
        {set.error !== null && (
          <p role="alert" className="text-[0.8571rem] break-words text-nacked">
            {set.error.message}
          </p>
        )}
      </div>
      <Button
        tone={active ? 'plain' : 'danger'}
        isPending={set.isPending}
        onPress={() => set.mutate({ name, active: !active })}
        label={`${active ? 'Mend' : 'Push'} ${name}`}
      >
        {active ? 'Mend' : 'Push'}
      </Button>
    </li>
  );
}
