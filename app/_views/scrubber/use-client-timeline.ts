'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { historyNewestOptions, historyTimelineOptions } from '@/app/_ask/history';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { travelKinds } from './travel-kinds';

const pauseMs = 2_000;
/** The pause for many events, and for counts. */
const longPauseMs = 15_000;
const manyMarks = 3_000;

/** The timeline of the time range of the URL; without one, of everything recorded. */
export function useClientTimeline(clientId: string) {
  const {
    urlRange: { from, to },
  } = useTimeRange();
  useLiveStream('history');
  const params = useMemo(
    () => ({
      client: clientId,
      stream: '',
      type: [],
      kind: travelKinds,
      resource: '',
      version: '',
      error: '',
      rejected: '' as const,
      from,
      to,
    }),
    [clientId, from, to],
  );
  const newest = useQuery(historyNewestOptions(clientId)).data;
  const timeline = useQuery({ ...historyTimelineOptions(params), staleTime: Number.POSITIVE_INFINITY });
  const { data, refetch } = timeline;
  const isMuch = data?.kind === 'density' || (data?.seq.length ?? 0) > manyMarks;
  const isThere = data !== undefined;
  const grownTo = useRef(newest);
  useEffect(() => {
    grownTo.current = newest;
  }, [newest]);
  useEffect(() => {
    if (!isThere) return;
    let readTo = grownTo.current;
    const timer = setInterval(
      () => {
        if (grownTo.current === readTo) return;
        readTo = grownTo.current;
        void refetch();
      },
      isMuch ? longPauseMs : pauseMs,
    );
    return () => clearInterval(timer);
  }, [isThere, isMuch, refetch]);
  return timeline;
}
