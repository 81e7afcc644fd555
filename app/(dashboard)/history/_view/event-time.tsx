import { ExactTime } from '@/app/_components/exact-time';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';

/** Millisecond precision; the tooltip has the date and the time zone. */
export function EventTime({ iso, withDay = false }: { readonly iso: string; readonly withDay?: boolean }) {
  const timeZone = useTimeZone();
  const exact = formatExactTime(Date.parse(iso), timeZone);
  return (
    <ExactTime iso={iso} className="font-mono text-[0.9286em] tabular-nums">
      {withDay ? undefined : exact.slice(11, 23)}
    </ExactTime>
  );
}
