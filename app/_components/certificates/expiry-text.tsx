'use client';

import { formatCounted } from '@/lib/format/count';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { Certificate } from '@/lib/views/certificates/schema';
import { useClockText } from '../../_hooks/use-clock-text';
import { NotReported } from '../bytes-text';
import { ExactTime } from '../exact-time';
import { Icon } from '../icon';

const dayMs = 24 * 3_600_000;
const soonDays = 30;
const tones: Readonly<Record<string, string>> = { expired: 'text-nacked', soon: 'text-timeout' };

/**
 * "in 12 days", "expired 3 days ago"; highlighted if soon or expired. A certificate of a snapshot is judged at the time of the
 * snapshot, and not at all if that is not known.
 */
export function ExpiryText({
  certificate: { expiresAt: at, snapshotAt, isUndated },
}: {
  readonly certificate: Pick<Certificate, 'expiresAt' | 'snapshotAt' | 'isUndated'>;
}) {
  const text = useClockText((now) => {
    if (at === undefined || isUndated) return '';
    return snapshotAt === undefined ? formatExpiry(at - now) : formatAtSnapshot(at - snapshotAt);
  });
  const urgency = useClockText((now) => {
    return at === undefined || isUndated ? 'later' : urgencyOf(at - (snapshotAt ?? now));
  });
  if (at === undefined) return <NotReported why="not reported" />;
  if (isUndated) return <ExactTime at={at}>{formatIsoTime(at)}</ExactTime>;
  return (
    <ExactTime at={at} className={`inline-flex items-center gap-1 ${tones[urgency] ?? ''}`}>
      {urgency !== 'later' && <Icon name="warning" sizePx={12} />}
      {text}
    </ExactTime>
  );
}

function formatExpiry(leftMs: number): string {
  return leftMs <= 0 ? `expired ${formatDays(leftMs)} ago` : `in ${formatDays(leftMs)}`;
}

function formatAtSnapshot(leftMs: number): string {
  return leftMs <= 0
    ? `expired ${formatDays(leftMs)} before the snapshot`
    : `${formatDays(leftMs)} after the snapshot`;
}

function formatDays(ms: number): string {
  const days = Math.floor(Math.abs(ms) / dayMs);
  return days === 0 ? 'less than a day' : formatCounted(days, 'day');
}

function urgencyOf(leftMs: number): 'expired' | 'soon' | 'later' {
  if (leftMs <= 0) return 'expired';
  return leftMs < soonDays * dayMs ? 'soon' : 'later';
}
