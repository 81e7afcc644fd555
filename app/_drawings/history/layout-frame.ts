import { buildLanes, type HistoryLanes } from '@/lib/views/history/build-lanes';
import { type BandBox, layoutBands } from '@/lib/views/history/layout-bands';
import { densityRows, layoutDensity } from '@/lib/views/history/layout-density';
import { type FrameOptions, type HistoryFrame, layoutHistory } from '@/lib/views/history/layout-history';
import { type PlacedLanes, placeLanes } from '@/lib/views/history/place-lanes';
import type { HistoryTimeline } from '@/lib/views/history/schema';

/** The parts that do not change while panning. `lanes` null: counts only. */
export interface PlacedTimeline {
  readonly timeline: HistoryTimeline;
  readonly lanes: HistoryLanes | null;
  readonly placed: PlacedLanes;
  readonly rows: ReturnType<typeof densityRows>;
}

export function placeTimeline(timeline: HistoryTimeline, withHeadings: boolean): PlacedTimeline {
  if (timeline.kind === 'density') {
    const rows = densityRows(timeline);
    return { timeline, lanes: null, placed: placeLanes(rows, false), rows };
  }
  const lanes = buildLanes(timeline);
  return { timeline, lanes, placed: placeLanes(lanes.lanes, withHeadings), rows: [] };
}

/** The parts that change with every frame. */
export function layoutFrame(
  { timeline, lanes, placed, rows }: PlacedTimeline,
  { scale, top, bottom }: FrameOptions,
): { readonly frame: HistoryFrame; readonly bands: readonly BandBox[] } {
  if (lanes === null) {
    const bars = timeline.kind === 'density' ? layoutDensity(timeline, rows, placed, scale) : [];
    const marks = { mark: [], x: [], y: [], kind: [] };
    return { frame: { level: 'density', marks, waits: [], bursts: [], bars }, bands: [] };
  }
  return {
    frame: layoutHistory(lanes, placed, { scale, top, bottom }),
    bands: layoutBands(lanes.bands, placed, scale),
  };
}
