'use client';

import { useMemo } from 'react';
import { buildLanes } from '@/lib/views/history/build-lanes';
import { densityRows } from '@/lib/views/history/layout-density';
import { placeLanes } from '@/lib/views/history/place-lanes';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import type { PlacedTimeline } from './layout-frame';

export function usePlacedTimeline(timeline: HistoryTimeline, withHeadings: boolean): PlacedTimeline {
  return useMemo(() => {
    if (timeline.kind === 'density') {
      const rows = densityRows(timeline);
      return { timeline, lanes: null, placed: placeLanes(rows, false), rows };
    }
    const lanes = buildLanes(timeline);
    return { timeline, lanes, placed: placeLanes(lanes.lanes, withHeadings), rows: [] };
  }, [timeline, withHeadings]);
}
