'use client';

import { browserTimeZone } from '@/app/_components/browser-time-zone';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatExactTime } from '@/lib/format/exact-time';

interface StoredMomentProps {
  /** ISO 8601: the moment that is shown. */
  readonly at: string;
  readonly storedAt: string;
}

/** The exact moment, and how long ago it was stored. */
export function StoredMoment({ at, storedAt }: StoredMomentProps) {
  return (
    <>
      <time dateTime={at} className="font-medium whitespace-nowrap" suppressHydrationWarning>
        {formatExactTime(Date.parse(at), browserTimeZone())}
      </time>{' '}
      (stored <TimeAgo iso={storedAt} />)
    </>
  );
}
