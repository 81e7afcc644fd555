'use client';

import { browserTimeZone } from '@/app/_components/browser-time-zone';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatExactTime } from '@/lib/format/exact-time';

/** The exact moment, and how long ago that is: a frozen page is read long after. */
export function FrozenMoment({ iso }: { readonly iso: string }) {
  return (
    <>
      <time dateTime={iso} className="font-medium whitespace-nowrap" suppressHydrationWarning>
        {formatExactTime(Date.parse(iso), browserTimeZone())}
      </time>{' '}
      (stored <TimeAgo iso={iso} />)
    </>
  );
}
