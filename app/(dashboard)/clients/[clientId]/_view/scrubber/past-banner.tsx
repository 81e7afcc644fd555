'use client';

import { browserTimeZone } from '@/app/_components/browser-time-zone';
import { Button } from '@/app/_components/button';
import { StaleBanner } from '@/app/_components/stale-banner';
import { TimeAgo } from '@/app/_components/time-ago';
import type { Moment } from '@/lib/api/moment';
import { formatCount } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';

interface PastBannerProps {
  /** In sight; undefined: now, and another one is on its way. */
  readonly moment: Moment | undefined;
  readonly isArriving: boolean;
  /** Events of the client that came after it; null: not counted. */
  readonly since: number | null;
  /** null: the client is gone, and there is no now. */
  readonly onNow: (() => void) | null;
}

/** Nobody must take the past for the present. */
export function PastBanner({ moment, isArriving, since, onNow }: PastBannerProps) {
  return (
    <StaleBanner
      action={
        onNow !== null && (
          <Button tone="plain" onPress={onNow}>
            Back to now
          </Button>
        )
      }
    >
      <strong className="font-semibold">{moment === undefined ? 'Now' : 'This is the past:'}</strong>{' '}
      {moment !== undefined && (
        <>
          as at{' '}
          <time
            dateTime={moment.at}
            className="font-mono text-[0.9286em] font-medium md:whitespace-nowrap"
            suppressHydrationWarning
          >
            {formatExactTime(Date.parse(moment.at), browserTimeZone())}
          </time>
          {moment.seq > 0 && <>, event {formatCount(moment.seq)}</>}, <TimeAgo iso={moment.at} />
          {since !== null && since > 0 && (
            <>
              ; {formatCount(since)} {since === 1 ? 'event came' : 'events came'} since
            </>
          )}
          .
        </>
      )}
      {isArriving && (
        <span className="text-muted"> Another moment is on its way; until it is here, this stays.</span>
      )}
      {moment !== undefined && moment.incomplete !== '' && (
        <span className="block text-timeout">Not whole: {moment.incomplete}.</span>
      )}
      {onNow === null && (
        <span className="block text-muted">
          This client is not observed any longer: no source reports it, or a limit of clients applies. Its
          history stays.
        </span>
      )}
    </StaleBanner>
  );
}
