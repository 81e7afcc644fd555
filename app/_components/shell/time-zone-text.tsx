'use client';

import { useClockText } from '../../_hooks/use-clock-text';
import { browserTimeZone } from '../browser-time-zone';

/** The zone in which exact times are stated, and what time it is there. */
export function TimeZoneText() {
  const text = useClockText((now) => formatClock(now, browserTimeZone()));
  return (
    <span
      className="hidden whitespace-nowrap lg:inline"
      title={`Exact times are stated in ${browserTimeZone()}`}
      suppressHydrationWarning
    >
      {text}
    </span>
  );
}

function formatClock(now: number, timeZone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(now);
  return `${time} ${timeZone}`;
}
