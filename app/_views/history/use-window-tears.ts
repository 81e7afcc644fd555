'use client';

import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { AskTears } from '@/app/_ask/client-question';
import type { TimeWindow } from '@/lib/views/history/collapsed-axis';
import { joinTears, tearsListedFrom } from '@/lib/views/resolved/join-tears';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import type { EpochMs } from '@/lib/xds/units';

interface WindowTears {
  /** null: loading. */
  readonly tears: Tears | null;
  /** The time from which config tears are drawn; undefined: from the start of the window. */
  readonly listedFrom?: EpochMs | undefined;
  readonly onOlder: () => void;
  readonly isComing: boolean;
}

const restMs = 250;
/** A margin, so that small pans need no further request. */
const marginShare = 0.5;

/**
 * The config tears of the window: the newest part first, an older part once the window is stable, and earlier
 * parts on request.
 */
export function useWindowTears(ask: AskTears, window: TimeWindow | null): WindowTears {
  const newest = useQuery(ask({})).data;
  const [wanted, setWanted] = useState<EpochMs | null>(null);
  const lacks = newest !== undefined && window !== null && !reaches(newest, window);
  const part = useQuery(ask(wanted === null ? {} : { to: wanted })).data;
  const isOfWindow = part !== undefined && window !== null && part.to >= window.to;
  const fits = isOfWindow && reaches(part, window);
  useEffect(() => {
    if (!lacks) setWanted(null);
    if (!lacks || window === null || fits) return;
    const timer = setTimeout(() => {
      const to = window.to + (window.to - window.from) * marginShare;
      setWanted(Math.min(Math.ceil(to), newest.to));
    }, restMs);
    return () => clearTimeout(timer);
  }, [lacks, fits, window, newest]);
  return useOlderTears(ask, window, (isOfWindow ? part : newest) ?? null);
}

/** A window may exceed one answer; earlier parts are loaded on request. */
function useOlderTears(ask: AskTears, window: TimeWindow | null, first: Tears | null): WindowTears {
  /** Ends of the requested parts, newest first. */
  const [ends, setEnds] = useState<readonly EpochMs[]>([]);
  const older = useQueries({
    queries: ends.map((to) => ({ ...ask({ to }), placeholderData: undefined })),
    combine: dataOf,
  });
  const begin = first === null ? undefined : tearsListedFrom(first);
  // Parts that do not join the first one are ignored.
  const isChain = begin !== undefined && ends[0] === begin;
  const tears = useMemo(() => {
    let joined = first;
    for (const each of isChain ? older : []) {
      if (joined === null || each === undefined) break;
      joined = joinTears(each, joined);
    }
    return joined;
  }, [first, isChain, older]);
  const listedFrom = tears === null ? undefined : tearsListedFrom(tears);
  const isVisible = listedFrom !== undefined && (window === null || listedFrom > window.from);
  const onOlder = (): void => {
    if (listedFrom !== undefined) setEnds(isChain ? [...ends, listedFrom] : [listedFrom]);
  };
  const isComing = isChain && older.some((each) => each === undefined);
  return { tears, listedFrom: isVisible ? listedFrom : undefined, onOlder, isComing };
}

function dataOf(results: readonly { readonly data?: Tears | undefined }[]): (Tears | undefined)[] {
  return results.map(({ data }) => data);
}

function reaches({ beginsAt, hasOlder }: Tears, { from }: TimeWindow): boolean {
  return !hasOlder || beginsAt === undefined || beginsAt <= from;
}
