'use client';

import { ErrorLine } from '@/app/_components/error-line';
import type { LabStatus } from '@/lib/api/lab';
import { useCommand } from '../../_ask/use-command';

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
      <label className="flex cursor-pointer items-center gap-2">
        <input
          type="checkbox"
          role="switch"
          aria-checked={shown === 'on'}
          checked={shown === 'on'}
          disabled={set.isPending}
          onChange={({ target }) => set.mutate({ backgroundFaults: target.checked ? 'on' : 'off' })}
          className="h-5 w-9 cursor-pointer appearance-none rounded-full border border-line-strong bg-sunken p-0.5 transition before:block before:size-3.5 before:rounded-full before:bg-line-strong before:transition checked:border-accent checked:bg-accent checked:before:translate-x-4 checked:before:bg-on-accent"
        />
        <span title="At intervals a weight changes, an endpoint fails and recovers, or a fault is injected and reverted">
          Background faults {shown}
        </span>
      </label>
    </div>
  );
}
