'use client';

import { usePathname } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import {
  everything,
  isLiveRange,
  readTimeRange,
  type TimeRange,
  writeTimeRange,
} from '@/lib/time/time-range';
import type { Extent } from './extent';
import { findPageRange } from './page-range';
import { timeRangeParsers } from './time-range-parsers';
import { useTimeZone } from './use-time-zone';

interface TimeRangeState {
  /** The range of the URL, or the default of the page. */
  readonly range: TimeRange;
  /** The same as texts, for keys of queries. Relative times remain relative until the request: see extent.ts. */
  readonly extent: Extent;
  /** The parameters of the URL, for links to the same page; empty: the default of the page. */
  readonly urlRange: Extent;
  /** True if new events can still fall into the range. */
  readonly isLive: boolean;
  /** null: the default of the page. */
  readonly setRange: (range: TimeRange | null, history?: 'push' | 'replace') => void;
}

/** The time range that the header shows, shared by all pages through the URL (`from`, `to`). */
export function useTimeRange(): TimeRangeState {
  const [{ from, to }, setStates] = useQueryStates(timeRangeParsers);
  const timeZone = useTimeZone();
  const path = usePathname();
  const range = useMemo(
    () => readTimeRange(from, to, { now: Date.now(), timeZone }) ?? findPageRange(path) ?? everything,
    [from, to, timeZone, path],
  );
  const extent = useMemo(() => writeTimeRange(range), [range]);
  const setRange = useCallback<TimeRangeState['setRange']>(
    (next, history = 'push') =>
      void setStates(next === null ? { from: null, to: null } : writeTimeRange(next), { history }),
    [setStates],
  );
  const urlRange = useMemo(() => ({ from, to }), [from, to]);
  return { range, extent, urlRange, isLive: isLiveRange(range, Date.now()), setRange };
}
