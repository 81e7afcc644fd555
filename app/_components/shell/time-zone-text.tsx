'use client';

import { useClockText } from '../../_hooks/use-clock-text';
import { useExactTimes } from '../../_hooks/use-exact-times';
import { browserTimeZone } from '../browser-time-zone';
import { Icon } from '../icon';

/** The current time and its zone; toggles between relative and absolute times. */
export function TimeZoneText() {
  const text = useClockText((now) => formatClock(now, browserTimeZone()));
  const [isExact, setExact] = useExactTimes();
  return (
    <button
      type="button"
      aria-pressed={isExact}
      aria-label="Show absolute times"
      title={`${isExact ? 'Show relative times' : 'Show absolute times'}; the zone is ${browserTimeZone()}`}
      onClick={() => setExact(!isExact)}
      className={`inline-flex h-8 min-w-8 items-center justify-center gap-1.5 rounded-md px-1.5 whitespace-nowrap transition hover:bg-hover hover:text-text ${isExact ? 'bg-accent-soft text-text' : ''}`}
      suppressHydrationWarning
    >
      <Icon name="clock" sizePx={14} />
      <span className="hidden tabular-nums lg:inline" suppressHydrationWarning>
        {text}
      </span>
    </button>
  );
}

function formatClock(now: number, timeZone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(now);
  return `${time} ${timeZone}`;
}
