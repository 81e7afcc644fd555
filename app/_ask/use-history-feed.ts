'use client';

import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { appendEvents, sortEvents } from '@/lib/views/history/append-events';
import { formatHistoryCursor } from '@/lib/views/history/history-cursor';
import type { HistoryEvent, HistoryPage, HistoryTimeline } from '@/lib/views/history/schema';
import {
  fetchHistoryPage,
  type HistoryParams,
  historyKey,
  historyNewestOptions,
  historyPageSize,
  historyPagesKey,
  historyTimelineOptions,
} from './history';

type Pages = InfiniteData<HistoryPage, string | null>;

/** The limit of loaded pages; rows further away are read again when they are scrolled to. */
const mostPages = 50;
/** The limit of events that wait while the tail is paused. */
const mostWaiting = 1_000;
/** The limit of events that arrived while the page was open; older ones are read again when they are scrolled to. */
const mostFollowed = 5_000;
/** If more events than this have not been read, everything is read again. */
const mostBehind = 2_000;
/** The server answers up to so many marks, and counts beyond that. */
const mostMarks = 50_000;
const countPauseMs = 10_000;
/** The minimal time between two reads of new events. */
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
  /** Loads newer events while the list begins in the past. */
  readonly loadNewer: () => void;
  readonly hasNewer: boolean;
  /** New events that are not shown, because the tail is paused. */
  readonly waiting: number;
  readonly hasMoreWaiting: boolean;
}

interface FeedOptions {
  readonly params: HistoryParams;
  readonly isPaused: boolean;
  /** The cursor at which the list begins; null: it begins at the newest event and follows new ones. */
  readonly anchor: string | null;
  readonly isLive: boolean;
}

/** The log as a list that grows at both ends: older pages by cursor, new events as they arrive. */
export function useHistoryFeed({ params, isPaused, anchor, isLive }: FeedOptions): HistoryFeed {
  const cache = useQueryClient();
  const pagesKey = historyPagesKey(params, anchor);
  const pages = useInfiniteQuery({
    queryKey: pagesKey,
    queryFn: ({ pageParam, signal }) => fetchHistoryPage(params, pageParam, signal),
    initialPageParam: anchor,
    getNextPageParam: (last) => last.older,
    getPreviousPageParam: (first) => first.newer,
    maxPages: mostPages,
    // The tail reads new events; reading all pages again would not add any.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const newestPage = pages.data?.pages[0];
  /** The events in the order of the log, which is that of the cursors. */
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
      const timelineKey = historyTimelineOptions(params).queryKey;
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
  /** Events up to this one are known. */
  readonly newestKnown: number;
  readonly mostNew: number;
}

/** Reads the events after the newest known one when the log has grown, one request at a time. */
function useTail(options: TailOptions, onNew: (fresh: readonly HistoryEvent[]) => void): void {
  const { params, isOn } = options;
  const cache = useQueryClient();
  const newest = useQuery(historyNewestOptions(params.client)).data ?? 0;
  const latest = useRef({ onNew, newest, ...options });
  useEffect(() => {
    latest.current = { onNew, newest, ...options };
  });
  useEffect(() => {
    if (!isOn) return;
    const stop = new AbortController();
    /** The log was read up to here, with or without matches. */
    let readTo = 0;
    let isBusy = false;
    const read = async () => {
      const { newestKnown } = latest.current;
      const page = await fetchHistoryPage(params, formatHistoryCursor('newer', newestKnown), stop.signal);
      if (stop.signal.aborted) return;
      readTo = page.newer === undefined ? page.newestSeq : (page.items[0]?.seq ?? 0);
      if (page.items.length === historyPageSize && page.newestSeq - readTo > mostBehind) {
        // There are too many new events to read them page by page.
        await cache.resetQueries({ queryKey: historyKey });
      } else if (page.items.length > 0) latest.current.onNew(page.items);
    };
    const timer = setInterval(() => {
      const { newest: grownTo, newestKnown, mostNew } = latest.current;
      if (isBusy || mostNew <= 0 || grownTo <= Math.max(readTo, newestKnown)) return;
      isBusy = true;
      const rest = () => {
        isBusy = false;
      };
      // A failed read is repeated; the connection state shows that the server is unreachable.
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

export function useHistoryTimeline(params: HistoryParams) {
  return useQuery({ ...historyTimelineOptions(params), staleTime: Number.POSITIVE_INFINITY, gcTime: 0 });
}
