'use client';

import type { ReactNode } from 'react';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatExactTime } from '@/lib/format/exact-time';

interface ExactTimeProps {
  /** ISO 8601. */
  readonly iso: string;
  readonly className?: string;
  /** A shorter form, or one that is relative to now. Default: the exact time. */
  readonly children?: ReactNode;
}

/** A time, with its exact form and time zone as a tooltip. */
export function ExactTime({ iso, className = '', children }: ExactTimeProps) {
  const exact = formatExactTime(Date.parse(iso), useTimeZone());
  return (
    <time
      dateTime={iso}
      title={children === undefined ? undefined : exact}
      className={`whitespace-pre ${className}`}
      // The server's clock and time zone differ from the browser's.
      suppressHydrationWarning
    >
      {children ?? exact}
    </time>
  );
}
