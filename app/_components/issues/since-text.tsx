'use client';

import { useClockText } from '@/app/_hooks/use-clock-text';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatShortTime } from '@/lib/format/exact-time';
import { formatElapsed } from '@/lib/format/time-ago';
import type { EpochMs } from '@/lib/xds/units';
import { ExactTime } from '../exact-time';

interface SinceTextProps {
  readonly since: EpochMs;
  /** null: it lasts. */
  readonly until: EpochMs | undefined;
  /** Only files report it, so that its duration until now is not known. */
  readonly isImported: boolean;
}

/** "since 20:54:25 (3 min 12 s)", or "20:54:25 to 20:57:37 (3 min 12 s)" for what has ended. */
export function SinceText({ since, until, isImported }: SinceTextProps) {
  const timeZone = useTimeZone();
  const text = useClockText((now) => {
    const elapsed = formatElapsed(Math.max(0, (until ?? now) - since));
    const begin = formatShortTime(since, now, timeZone);
    if (until === undefined && isImported) return `since ${begin}, in a file`;
    return until === undefined
      ? `since ${begin} (${elapsed})`
      : `${begin} to ${formatShortTime(until, now, timeZone)} (${elapsed})`;
  });
  return (
    <ExactTime at={since} className="note">
      {text}
    </ExactTime>
  );
}
