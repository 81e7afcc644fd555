'use client';

import dynamic from 'next/dynamic';
import { usePathname } from 'next/navigation';
import { formatExactTime, formatShortTime } from '@/lib/format/exact-time';
import { formatTimeRange, resolveTimeRange, shiftRange, zoomOutRange } from '@/lib/time/time-range';
import { findPageRange } from '../../_hooks/page-range';
import { useTimeRange } from '../../_hooks/use-time-range';
import { useTimeZone } from '../../_hooks/use-time-zone';
import { Icon, type IconName } from '../icon';
import { loadOnInput } from '../load-on-input';
import { PopoverButton } from '../popover-button';

const TimeRangeForm = dynamic(() => import('./time-range-form').then(({ TimeRangeForm }) => TimeRangeForm));
loadOnInput(() => import('./time-range-form'));

/** Selects the time range of the whole page: presets, typed times, the range before and after, and a longer one. */
export function TimeRangePicker() {
  return findPageRange(usePathname()) === null ? null : <Picker />;
}

function Picker() {
  const { range, setRange } = useTimeRange();
  const timeZone = useTimeZone();
  const context = { now: Date.now(), timeZone };
  const { from } = resolveTimeRange(range, context);
  const exact = (at: number) => formatExactTime(at, timeZone);
  const move = (direction: -1 | 1) => {
    const next = shiftRange(range, direction, { now: Date.now(), timeZone });
    if (next !== undefined) setRange(next);
  };
  return (
    <fieldset aria-label="Time range" className="flex items-center">
      <Step
        icon="chevron-left"
        label="Show the previous range"
        isDisabled={shiftRange(range, -1, context) === undefined}
        onPress={() => move(-1)}
      />
      <PopoverButton
        label="Choose the time range"
        button={
          <>
            <span className="sr-only">Time range: </span>
            <span title={formatTimeRange(range, exact)} className="tabular-nums" suppressHydrationWarning>
              {formatTimeRange(range, (at) => formatShortTime(at, context.now, timeZone))}
            </span>
          </>
        }
        className="h-8 gap-1.5 rounded-md border-line-strong/60 px-2 text-medium text-text"
        popoverClassName=""
      >
        {(close) => (
          <TimeRangeForm
            range={range}
            onChoose={(next) => {
              setRange(next);
              close();
            }}
          />
        )}
      </PopoverButton>
      <Step
        icon="chevron-right"
        label="Show the next range"
        isDisabled={shiftRange(range, 1, context) === undefined}
        onPress={() => move(1)}
      />
      <Step
        icon="zoom-out"
        label="Zoom out: twice as long"
        isDisabled={from === null}
        onPress={() => setRange(zoomOutRange(range, { now: Date.now(), timeZone }))}
      />
    </fieldset>
  );
}

interface StepProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isDisabled: boolean;
  readonly onPress: () => void;
}

function Step({ icon, label, isDisabled, onPress }: StepProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onPress}
      className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text disabled:opacity-40 disabled:hover:bg-transparent"
    >
      <Icon name={icon} />
    </button>
  );
}
