import { browserTimeZone } from '@/app/_components/browser-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';

/** To the millisecond, as a log says it; day and zone on hover. */
export function EventTime({ iso, withDay = false }: { readonly iso: string; readonly withDay?: boolean }) {
  const exact = formatExactTime(Date.parse(iso), browserTimeZone());
  return (
    <time
      dateTime={iso}
      title={exact}
      className="font-mono text-[0.9286em] whitespace-nowrap tabular-nums"
      // The server's zone is not the browser's.
      suppressHydrationWarning
    >
      {withDay ? exact : exact.slice(11, 23)}
    </time>
  );
}
