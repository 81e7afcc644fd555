'use client';

import { formatCounted } from '@/lib/format/count';
import type { EpochMs } from '@/lib/xds/units';
import { useClockText } from '../../_hooks/use-clock-text';
import { NotReported } from '../bytes-text';
import { ExactTime } from '../exact-time';
import { Icon } from '../icon';

const dayMs = 24 * 3_600_000;
const soonDays = 30;
const tones: Readonly<Record<string, string>> = { expired: 'text-nacked', soon: 'text-timeout' };

/** "in 12 days", "expired 3 days ago"; highlighted if soon or expired. */
export function ExpiryText({ at }: { readonly at: EpochMs | undefined }) {
  const text = useClockText((now) => (at === undefined ? '' : formatExpiry(at - now)));
  const urgency = useClockText((now) => (at === undefined ? '' : urgencyOf(at - now)));
  if (at === undefined) return <NotReported why="not reported" />;
  return (
    <ExactTime at={at} className={`inline-flex items-center gap-1 ${tones[urgency] ?? ''}`}>
      {urgency !== 'later' && <Icon name="warning" sizePx={12} />}
      {text}
    </ExactTime>
  );
}

function formatExpiry(leftMs: number): string {
  const days = Math.floor(Math.abs(leftMs) / dayMs);
  const span = days === 0 ? 'less than a day' : formatCounted(days, 'day');
  return leftMs <= 0 ? `expired ${span} ago` : `in ${span}`;
}

function urgencyOf(leftMs: number): 'expired' | 'soon' | 'later' {
  if (leftMs <= 0) return 'expired';
  return leftMs < soonDays * dayMs ? 'soon' : 'later';
}
