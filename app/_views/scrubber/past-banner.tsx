'use client';

import { Button } from '@/app/_components/button';
import { ExactTime } from '@/app/_components/exact-time';
import { StaleBanner } from '@/app/_components/stale-banner';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatCount } from '@/lib/format/count';
import type { Moment } from '@/lib/views/fields/moment';

interface PastBannerProps {
  /** The shown time; undefined: now, while another time is loading. */
  readonly moment: Moment | undefined;
  readonly isArriving: boolean;
  /** Later events of the client; null: not counted. */
  readonly since: number | null;
  /** null: the client is not reported now. */
  readonly onNow: (() => void) | null;
}

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
      <strong className="font-semibold">{moment === undefined ? 'Now' : 'Viewing the past:'}</strong>{' '}
      {moment !== undefined && (
        <>
          state at <ExactTime at={moment.at} className="font-mono text-[0.9286em] font-medium" />
          {moment.seq > 0 && <>, event {formatCount(moment.seq)}</>}, <TimeAgo at={moment.at} />
          {since !== null && since > 0 && (
            <>
              ; {formatCount(since)} {since === 1 ? 'event came' : 'events came'} since
            </>
          )}
          .
        </>
      )}
      {isArriving && <span className="text-muted"> Loading another time.</span>}
      {moment !== undefined && moment.incomplete !== '' && (
        <span className="block text-timeout">Incomplete: {moment.incomplete}.</span>
      )}
      {onNow === null && (
        <span className="block text-muted">
          No source reports this client now, or the client limit applies. Its history is kept.
        </span>
      )}
    </StaleBanner>
  );
}
