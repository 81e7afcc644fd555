import { ExactTime } from '@/app/_components/exact-time';
import { useClockText } from '@/app/_hooks/use-clock-text';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';
import type { EpochMs } from '@/lib/xds/units';

interface EventTimeProps {
  readonly at: EpochMs;
  readonly withYear?: boolean;
  /** The date is above the time. */
  readonly isStacked?: boolean;
}

/** Millisecond precision, with the date unless it is today's; the tooltip has the year and the time zone. */
export function EventTime({ at, withYear = false, isStacked = false }: EventTimeProps) {
  const timeZone = useTimeZone();
  const today = useClockText((now) => formatExactTime(now, timeZone).slice(0, 10));
  const exact = formatExactTime(at, timeZone);
  const day = exact.startsWith(today) ? '' : `${exact.slice(5, 10)}${isStacked ? '\n' : ' '}`;
  return (
    <ExactTime at={at} className="inline-block font-mono text-[0.9286em] leading-tight tabular-nums">
      {withYear ? undefined : `${day}${exact.slice(11, 23)}`}
    </ExactTime>
  );
}
