'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { TearsQueryOptions } from '@/app/_hooks/client-view-queries';
import type { Tears } from '@/lib/api/resolved';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { TimeWindow } from '@/lib/view-model/history/collapsed-axis';

export type AskTears = (params: { readonly to?: string }) => TearsQueryOptions;

const restMs = 250;
/** One pans a while before the next part is needed. */
const marginShare = 0.5;

/**
 * The tears of what is in sight: of a long past the newest are told first, and older ones once the window rests there.
 * null: they are on their way. Events do not wait for them.
 */
export function useWindowTears(ask: AskTears, window: TimeWindow | null): Tears | null {
  const newest = useQuery(ask({})).data;
  const [wanted, setWanted] = useState<string | null>(null);
  const lacks = newest !== undefined && window !== null && !reaches(newest, window);
  const part = useQuery(ask(wanted === null ? {} : { to: wanted })).data;
  const isOfWindow = part !== undefined && window !== null && Date.parse(part.to) >= window.to;
  const fits = isOfWindow && reaches(part, window);
  useEffect(() => {
    if (!lacks) setWanted(null);
    if (!lacks || window === null || fits) return;
    const timer = setTimeout(() => {
      const to = window.to + (window.to - window.from) * marginShare;
      setWanted(formatIsoTime(Math.min(Math.ceil(to), Date.parse(newest.to))));
    }, restMs);
    return () => clearTimeout(timer);
  }, [lacks, fits, window, newest]);
  // A window may be longer than what is told at once: then its newest part is.
  return (isOfWindow ? part : newest) ?? null;
}

function reaches({ beginsAt, hasOlder }: Tears, { from }: TimeWindow): boolean {
  return !hasOlder || beginsAt === null || Date.parse(beginsAt) <= from;
}
