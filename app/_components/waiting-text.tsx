'use client';

import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';
import { findWaiting } from '@/lib/observation/find-waiting';
import { describeWaiting, describeWaitingSummary } from '@/lib/views/client/describe-waiting';
import type { KnownUntil } from '@/lib/views/client/known-until';
import type { WaitingSummary } from '@/lib/views/client/schema';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import type { EpochMs } from '@/lib/xds/units';
import { useClockText } from '../_hooks/use-clock-text';

interface WaitingTextProps {
  readonly since: EpochMs;
  readonly until: KnownUntil;
  readonly describe: (elapsedMs: number | undefined) => string;
  readonly className?: string;
}

/**
 * Shows how long something has waited, and for what. The tooltip has the whole text, and the exact time of its
 * beginning.
 */
function WaitingText({ since, until, describe, className = '' }: WaitingTextProps) {
  const timeZone = useTimeZone();
  const isTimed = until !== 'one-moment';
  const text = useClockText((now) => describe(isTimed ? Math.max(0, (until ?? now) - since) : undefined));
  return (
    <span
      className={className}
      title={isTimed ? `${text}; since ${formatExactTime(since, timeZone)}` : text}
      // The server's clock and time zone differ from the browser's.
      suppressHydrationWarning
    >
      {text}
    </span>
  );
}

interface WaitingSummaryTextProps {
  readonly waiting: WaitingSummary;
  readonly until: KnownUntil;
  readonly className?: string;
}

export function WaitingSummaryText({ waiting, until, className }: WaitingSummaryTextProps) {
  return (
    <WaitingText
      since={waiting.since}
      until={until}
      describe={(elapsedMs) => describeWaitingSummary(waiting, elapsedMs)}
      className={className}
    />
  );
}

interface RowWaitsProps {
  readonly row: ResourceRowJson;
  readonly until: KnownUntil;
}

/** Lists what a resource waits for, a line each; most resources wait for nothing. */
export function RowWaits({ row, until }: RowWaitsProps) {
  return findWaiting(row, row.state).map((waiting) => (
    <p
      key={waiting.state}
      // The text can begin with a version, whose case is part of it.
      className={`text-small wrap-anywhere text-timeout ${waiting.state === 'NO_ANSWER' && waiting.versionInfo !== '' ? '' : 'first-letter:uppercase'}`}
    >
      <WaitingText
        since={waiting.since}
        until={until}
        describe={(elapsedMs) => describeWaiting(waiting, row, elapsedMs)}
      />
    </p>
  ));
}
