'use client';

import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { AskTears } from '@/app/_ask/client-question';
import type { Tears } from '@/lib/api/resolved';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { TimeWindow } from '@/lib/view-model/history/collapsed-axis';
import { joinTears, tearsListedFrom } from '@/lib/view-model/resolved/join-tears';

export interface WindowTears {
  /** null: they are on their way. */
  readonly tears: Tears | null;
  /** ISO time: tears of what is in sight are drawn from there on; null: from its beginning on. */
  readonly listedFrom: string | null;
  /** One part more, further back. */
  readonly onOlder: () => void;
  readonly isComing: boolean;
}

const restMs = 250;
/** One pans a while before the next part is needed. */
const marginShare = 0.5;

/**
 * The tears of what is in sight: of a long past the newest are reported first, older ones once the window rests there, and
 * those before them part by part when they are asked for. Events do not wait for them.
 */
export function useWindowTears(ask: AskTears, window: TimeWindow | null): WindowTears {
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
  return useOlderTears(ask, window, (isOfWindow ? part : newest) ?? null);
}

/** A window may be longer than what is reported at once: parts before it come when they are asked for. */
function useOlderTears(ask: AskTears, window: TimeWindow | null, first: Tears | null): WindowTears {
  /** Where the parts end that were asked for, the newest first. */
  const [ends, setEnds] = useState<readonly string[]>([]);
  const older = useQueries({
    queries: ends.map((to) => ({ ...ask({ to }), placeholderData: undefined })),
    combine: dataOf,
  });
  const begin = first === null ? null : tearsListedFrom(first);
  // Those of another place in time, or of a part that has grown away from them, are not joined to it.
  const isChain = begin !== null && ends[0] !== undefined && ends[0] === begin;
  const tears = useMemo(() => {
    let joined = first;
    for (const each of isChain ? older : []) {
      if (joined === null || each === undefined) break;
      joined = joinTears(each, joined);
    }
    return joined;
  }, [first, isChain, older]);
  const listedFrom = tears === null ? null : tearsListedFrom(tears);
  const isInSight = listedFrom !== null && (window === null || Date.parse(listedFrom) > window.from);
  const onOlder = (): void => {
    if (listedFrom !== null) setEnds(isChain ? [...ends, listedFrom] : [listedFrom]);
  };
  const isComing = isChain && older.some((each) => each === undefined);
  return { tears, listedFrom: isInSight ? listedFrom : null, onOlder, isComing };
}

function dataOf(results: readonly { readonly data?: Tears | undefined }[]): (Tears | undefined)[] {
  return results.map(({ data }) => data);
}

function reaches({ beginsAt, hasOlder }: Tears, { from }: TimeWindow): boolean {
  return !hasOlder || beginsAt === null || Date.parse(beginsAt) <= from;
}
