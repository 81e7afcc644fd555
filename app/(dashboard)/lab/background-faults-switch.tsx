'use client';

import { Switch } from 'react-aria-components';
import { ErrorLine } from '@/app/_components/error-line';
import type { LabStatus } from '@/lib/api/lab';
import { useCommand } from '../../_hooks/use-command';

export function BackgroundFaultsSwitch({
  backgroundFaults,
}: {
  readonly backgroundFaults: LabStatus['backgroundFaults'];
}) {
  const set = useCommand('POST lab/background-faults');
  const shown = set.isPending ? set.variables.backgroundFaults : backgroundFaults;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <ErrorLine error={set.error} />
      <Switch
        isSelected={shown === 'on'}
        isDisabled={set.isPending}
        onChange={(isOn) => set.mutate({ backgroundFaults: isOn ? 'on' : 'off' })}
        className="group flex cursor-pointer items-center gap-2"
      >
        <span
          aria-hidden="true"
          className="flex h-5 w-9 items-center rounded-full border border-line-strong bg-sunken p-0.5 transition group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-focus group-data-[selected]:border-accent group-data-[selected]:bg-accent"
        >
          <span className="size-3.5 rounded-full bg-line-strong transition group-data-[selected]:translate-x-4 group-data-[selected]:bg-on-accent" />
        </span>
        <span title="At intervals a weight changes, an endpoint fails and recovers, or a fault is injected and reverted">
          Background faults {shown}
        </span>
      </Switch>
    </div>
  );
}
