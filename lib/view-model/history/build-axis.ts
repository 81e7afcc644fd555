import type { HistoryTimeline } from '../../api/history';
import type { EpochMs } from '../../xds/units';
import { findIdle } from './collapse-idle';
import { CollapsedAxis } from './collapsed-axis';

export const breakPx = 40;
/** Of the width, at most, for breaks when the whole axis is in sight. */
const breaksShare = 0.35;
/** An axis of nothing is still an axis. */
const leastExtentMs = 1_000;

/** The axis of all that a timeline tells, with the idle time taken out that there is room to say. */
export function buildAxis(timeline: HistoryTimeline, widthPx: number): CollapsedAxis {
  const { from, to } = extentOf(timeline);
  const most = Math.floor((widthPx * breaksShare) / breakPx);
  const instants = timeline.kind === 'marks' ? timeline.at : busyInstants(timeline);
  return new CollapsedAxis({ from, to }, findIdle(instants, { from, to, most }), breakPx);
}

function extentOf({ from, to }: HistoryTimeline): { from: EpochMs; to: EpochMs } {
  const lackMs = Math.max(0, leastExtentMs - (to - from));
  return { from: from - lackMs, to };
}

/** Both ends of each slice in which something happened. */
function busyInstants({ buckets, bucketMs }: Extract<HistoryTimeline, { kind: 'density' }>): EpochMs[] {
  return buckets.flatMap(({ at }) => [at, at + bucketMs]).sort((a, b) => a - b);
}
