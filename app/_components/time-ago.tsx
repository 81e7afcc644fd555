'use client';

import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatShortTime } from '@/lib/format/exact-time';
import { formatTimeAgo } from '@/lib/format/time-ago';
import { useClockText } from '../_hooks/use-clock-text';
import { useExactTimes } from '../_hooks/use-exact-times';
import { NotReported } from './bytes-text';
import { ExactTime } from './exact-time';

/** Fits "59 min ago" and "11-20 02:31" with padding. */
export const timeAgoColumnPx = 104;

interface TimeAgoProps {
  /** ISO 8601; null: never. */
  readonly iso: string | null;
  readonly never?: string;
  readonly className?: string;
}

/** A relative time, or an absolute one by preference; the tooltip has the exact time and zone. */
export function TimeAgo({ iso, never = 'never', className = '' }: TimeAgoProps) {
  const timeZone = useTimeZone();
  const at = iso === null ? Number.NaN : Date.parse(iso);
  const [isExact] = useExactTimes();
  const text = useClockText((now) => {
    if (Number.isNaN(at)) return never;
    return isExact ? formatShortTime(at, now, timeZone) : formatTimeAgo(at, now);
  });
  if (iso === null || Number.isNaN(at)) return <NotReported why={never} />;
  return (
    <ExactTime iso={iso} className={className}>
      {text}
    </ExactTime>
  );
}
