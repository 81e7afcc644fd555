'use client';

import { formatExactTime } from '@/lib/format/exact-time';
import { useClockText } from '../../_hooks/use-clock-text';
import { browserTimeZone } from '../browser-time-zone';
import { NotTold } from '../bytes-text';

const dayMs = 24 * 3_600_000;

/** "in 12 days", "expired 3 days ago"; the exact time on hover. */
export function ExpiryText({ iso }: { readonly iso: string | null }) {
  const at = iso === null ? Number.NaN : Date.parse(iso);
  const text = useClockText((now) => formatExpiry(at - now));
  if (iso === null || Number.isNaN(at)) return <NotTold why="not told" />;
  return (
    <time
      dateTime={iso}
      title={formatExactTime(at, browserTimeZone())}
      className={`whitespace-nowrap ${text.startsWith('expired') ? 'text-nacked' : ''}`}
    >
      {text}
    </time>
  );
}

function formatExpiry(leftMs: number): string {
  const days = Math.floor(Math.abs(leftMs) / dayMs);
  const span = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`;
  return leftMs <= 0 ? `expired ${span} ago` : `in ${span}`;
}
