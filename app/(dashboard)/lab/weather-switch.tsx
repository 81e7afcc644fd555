'use client';

import { Switch } from 'react-aria-components';
import type { LabStatus } from '@/lib/api/lab';
import { useSetWeather } from '../../_hooks/mutations';

/** Weather: now and then a weight changes, an endpoint dies and returns, a bad resource comes and goes. */
export function WeatherSwitch({ weather }: { readonly weather: LabStatus['weather'] }) {
  const set = useSetWeather();
  const shown = set.isPending ? set.variables : weather;
  return (
    <div className="flex flex-wrap items-center gap-3">
      {set.error !== null && (
        <span role="alert" className="text-nacked">
          {set.error.message}
        </span>
      )}
      <Switch
        isSelected={shown === 'on'}
        isDisabled={set.isPending}
        onChange={(isOn) => set.mutate(isOn ? 'on' : 'off')}
        className="group flex cursor-pointer items-center gap-2"
      >
        <span
          aria-hidden="true"
          className="flex h-5 w-9 items-center rounded-full border border-line-strong bg-sunken p-0.5 transition group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-focus group-data-[selected]:border-accent group-data-[selected]:bg-accent"
        >
          <span className="size-3.5 rounded-full bg-line-strong transition group-data-[selected]:translate-x-4 group-data-[selected]:bg-on-accent" />
        </span>
        <span title="Now and then a weight changes, an endpoint dies and returns, a bad resource is pushed and reverted">
          Weather {shown}
        </span>
      </Switch>
    </div>
  );
}
