import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';

/** Millisecond precision; the tooltip has the date and the time zone. */
export function EventTime({ iso, withDay = false }: { readonly iso: string; readonly withDay?: boolean }) {
  const timeZone = useTimeZone();
  const exact = formatExactTime(Date.parse(iso), timeZone);
  return (
    <time
      dateTime={iso}
      title={exact}
      className="font-mono text-[0.9286em] whitespace-nowrap tabular-nums"
      // The server's time zone differs from the browser's.
      suppressHydrationWarning
    >
      {withDay ? exact : exact.slice(11, 23)}
    </time>
  );
}
