'use client';

import type { ReactNode } from 'react';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { EpochMs } from '@/lib/xds/units';

interface ExactTimeProps {
  readonly at: EpochMs;
  readonly className?: string;
  /** A shorter form, or one that is relative to now. Default: the exact time. */
  readonly children?: ReactNode;
}

/** A time, with its exact form and time zone as a tooltip. */
export function ExactTime({ at, className = '', children }: ExactTimeProps) {
  const exact = formatExactTime(at, useTimeZone());
  return (
    <time
      dateTime={formatIsoTime(at)}
      title={children === undefined ? undefined : exact}
      className={`whitespace-pre ${className}`}
      // The server's clock and time zone differ from the browser's.
      suppressHydrationWarning
    >
      {children ?? exact}
    </time>
  );
}
