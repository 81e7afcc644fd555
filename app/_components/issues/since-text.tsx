'use client';

import { useClockText } from '@/app/_hooks/use-clock-text';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatShortTime } from '@/lib/format/exact-time';
import { formatElapsed } from '@/lib/format/time-ago';
import { ExactTime } from '../exact-time';

interface SinceTextProps {
  /** ISO 8601. */
  readonly since: string;
  /** null: it lasts. */
  readonly until: string | null;
}

/** "since 20:54:25 (3 min 12 s)", or "20:54:25 to 20:57:37 (3 min 12 s)" for what has ended. */
export function SinceText({ since, until }: SinceTextProps) {
  const timeZone = useTimeZone();
  const from = Date.parse(since);
  const to = until === null ? null : Date.parse(until);
  const text = useClockText((now) => {
    const elapsed = formatElapsed(Math.max(0, (to ?? now) - from));
    const begin = formatShortTime(from, now, timeZone);
    return to === null
      ? `since ${begin} (${elapsed})`
      : `${begin} to ${formatShortTime(to, now, timeZone)} (${elapsed})`;
  });
  return (
    <ExactTime iso={since} className="note">
      {text}
    </ExactTime>
  );
}
