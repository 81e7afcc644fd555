'use client';

import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatShortTime } from '@/lib/format/exact-time';
import { formatTimeAgo } from '@/lib/format/time-ago';
import type { EpochMs } from '@/lib/xds/units';
import { useClockText } from '../_hooks/use-clock-text';
import { useExactTimes } from '../_hooks/use-exact-times';
import { NotReported } from './bytes-text';
import { ExactTime } from './exact-time';

/** Fits "59 min ago" and "11-20 02:31" with padding. */
export const timeAgoColumnPx = 104;

interface TimeAgoProps {
  /** null: never. */
  readonly at: EpochMs | null | undefined;
  readonly never?: string;
  readonly className?: string;
}

/** A relative time, or an absolute one by preference; the tooltip has the exact time and zone. */
export function TimeAgo({ at, never = 'never', className = '' }: TimeAgoProps) {
  const timeZone = useTimeZone();
  const [isExact] = useExactTimes();
  const text = useClockText((now) => {
    if (at == null) return never;
    return isExact ? formatShortTime(at, now, timeZone) : formatTimeAgo(at, now);
  });
  if (at == null) return <NotReported why={never} />;
  return (
    <ExactTime at={at} className={className}>
      {text}
    </ExactTime>
  );
}
