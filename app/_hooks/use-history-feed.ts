'use client';

import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { HistoryEvent, HistoryPage, HistoryTimeline } from '@/lib/api/history';
import { formatHistoryCursor } from '@/lib/api/history-cursor';
import { appendEvents, sortEvents } from '@/lib/view-model/history/append-events';
import type { HistoryParams } from './history-params';
import {
  fetchHistoryPage,
  historyNewestQuery,
  historyPageSize,
  historyTimelineQuery,
} from './history-queries';
import { queryKeys } from './query-keys';

type Pages = InfiniteData<HistoryPage, string | null>;

/** So many rows stay loaded; what is further away is read again when it is scrolled to. */
const mostPages = 50;
/** Events that wait while the tail is paused, at most; of more it is only said that there are more. */
const mostWaiting = 1_000;
/** So many that came while the page was open; older ones of them are read again when they are scrolled to. */
const mostFollowed = 5_000;
/** More than so many that are not read yet: everything is read anew. */
const mostBehind = 2_000;
/** As many as the server gives as marks; beyond, it counts. */
const mostMarks = 50_000;
/** Counts are read again at most so often. */
const countPauseMs = 10_000;
/** Between two readings of what is new. */
const tailPauseMs = 500;

export interface HistoryFeed {
  /** Newest first, by time; undefined until the first answer. */
  readonly events: readonly HistoryEvent[] | undefined;
  readonly newestPage: HistoryPage | undefined;
  readonly error: unknown;
  readonly refetch: () => void;
  readonly loadOlder: () => void;
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  /** While the list begins in the past. */
  readonly loadNewer: () => void;
  readonly hasNewer: boolean;
  /** New events that are not shown, because the tail is paused. */
  readonly waiting: number;
  readonly hasMoreWaiting: boolean;
}

interface FeedOptions {
  readonly params: HistoryParams;
  readonly isPaused: boolean;
  /** Cursor at which the list begins; null: at the newest event, and it follows those that come. */
  readonly anchor: string | null;
  /** What comes from now on belongs to it. */
  readonly isLive: boolean;
}

/** The log as a list that grows at both ends: older pages by cursor, new events as they come. */
export function useHistoryFeed({ params, isPaused, anchor, isLive }: FeedOptions): HistoryFeed {
  const cache = useQueryClient();
  const pagesKey = queryKeys.historyPages(params, anchor);
  const pages = useInfiniteQuery({
    queryKey: pagesKey,
    queryFn: ({ pageParam, signal }) => fetchHistoryPage(params, pageParam, signal),
    initialPageParam: anchor,
    getNextPageParam: (last) => last.older,
    getPreviousPageParam: (first) => first.newer,
    maxPages: mostPages,
    // The tail brings what is new: reading fifty pages again would bring the same.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const newestPage = pages.data?.pages[0];
  /** In the log's order, which is that of the cursors. */
  const logged = useMemo(() => pages.data?.pages.flatMap(({ items }) => items), [pages.data]);
  const events = useMemo(() => logged && sortEvents(logged), [logged]);
  const follows = anchor === null && isLive;

  const [waiting, setWaiting] = useState<readonly HistoryEvent[]>([]);
  const shownSeq = logged?.[0]?.seq ?? 0;
  const newestKnown = waiting[0]?.seq ?? shownSeq;

  const countedAt = useRef(0);
  const show = useCallback(
    (fresh: readonly HistoryEvent[]) => {
      cache.setQueryData<Pages>(pagesKey, (before) =>
        before === undefined ? before : withNewer(before, fresh),
      );
      const timelineKey = queryKeys.historyTimeline(params);
      const timeline = cache.getQueryData<HistoryTimeline>(timelineKey);
      if (timeline?.kind === 'marks' && timeline.seq.length + fresh.length <= mostMarks) {
        cache.setQueryData<HistoryTimeline>(timelineKey, appendEvents(timeline, fresh));
      } else if (Date.now() - countedAt.current > countPauseMs) {
        countedAt.current = Date.now();
        void cache.invalidateQueries({ queryKey: timelineKey });
      }
    },
    [cache, pagesKey, params],
  );

  useTail(
    { params, isOn: follows && events !== undefined, newestKnown, mostNew: mostWaiting - waiting.length },
    (fresh) => {
      if (isPaused) setWaiting((before) => [...fresh, ...before]);
      else show(fresh);
    },
  );
  useEffect(() => {
    if (isPaused || waiting.length === 0) return;
    show(waiting);
    setWaiting([]);
  }, [isPaused, waiting, show]);

  return {
    events,
    newestPage,
    error: pages.error,
    refetch: () => void pages.refetch(),
    loadOlder: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
    hasOlder: pages.hasNextPage,
    isLoadingOlder: pages.isFetchingNextPage,
    loadNewer: () => {
      if (!pages.isFetchingPreviousPage) void pages.fetchPreviousPage();
    },
    hasNewer: !follows && pages.hasPreviousPage,
    waiting: waiting.length,
    hasMoreWaiting: waiting.length >= mostWaiting,
  };
}

interface TailOptions {
  readonly params: HistoryParams;
  readonly isOn: boolean;
  /** Events up to there are known. */
  readonly newestKnown: number;
  readonly mostNew: number;
}

/** Reads what came after the newest known event when the log has grown: at most every half second, one at a time. */
function useTail(options: TailOptions, onNew: (fresh: readonly HistoryEvent[]) => void): void {
  const { params, isOn } = options;
  const cache = useQueryClient();
  const newest = useQuery(historyNewestQuery(params.client)).data ?? 0;
  const latest = useRef({ onNew, newest, ...options });
  useEffect(() => {
    latest.current = { onNew, newest, ...options };
  });
  useEffect(() => {
    if (!isOn) return;
    const stop = new AbortController();
    /** The log was read up to there, whether something matched or not. */
    let readTo = 0;
    let isBusy = false;
    const read = async () => {
      const { newestKnown } = latest.current;
      const page = await fetchHistoryPage(params, formatHistoryCursor('newer', newestKnown), stop.signal);
      if (stop.signal.aborted) return;
      readTo = page.newer === null ? page.newestSeq : (page.items[0]?.seq ?? 0);
      if (page.items.length === historyPageSize && page.newestSeq - readTo > mostBehind) {
        // Too far behind to catch up page by page.
        await cache.resetQueries({ queryKey: queryKeys.history });
      } else if (page.items.length > 0) latest.current.onNew(page.items);
    };
    const timer = setInterval(() => {
      const { newest: grownTo, newestKnown, mostNew } = latest.current;
      if (isBusy || mostNew <= 0 || grownTo <= Math.max(readTo, newestKnown)) return;
      isBusy = true;
      const rest = () => {
        isBusy = false;
      };
      // One that fails is tried again; that the server is away is said by the connection's own mark.
      read().then(rest, rest);
    }, tailPauseMs);
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [isOn, params, cache]);
}

function withNewer({ pages, pageParams }: Pages, fresh: readonly HistoryEvent[]): Pages {
  const [first, ...others] = pages;
  if (first === undefined) return { pages, pageParams };
  const newestSeq = first.items[0]?.seq ?? 0;
  const added = fresh.filter(({ seq }) => seq > newestSeq);
  if (added.length === 0) return { pages, pageParams };
  const items = [...added, ...first.items];
  if (items.length <= mostFollowed) return { pages: [{ ...first, items }, ...others], pageParams };
  const kept = items.slice(0, mostFollowed);
  const older = formatHistoryCursor('older', kept.at(-1)?.seq ?? 0);
  return { pages: [{ ...first, items: kept, older }], pageParams: pageParams.slice(0, 1) };
}

/** The whole timeline, which grows with the feed. */
export function useHistoryTimeline(params: HistoryParams) {
  return useQuery({ ...historyTimelineQuery(params), staleTime: Number.POSITIVE_INFINITY, gcTime: 0 });
}
