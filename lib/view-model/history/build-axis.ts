import type { HistoryTimeline } from '../../api/history';
import type { EpochMs } from '../../xds/units';
import { findIdle } from './collapse-idle';
import { CollapsedAxis } from './collapsed-axis';

export const breakPx = 40;
/** Of the width, at most, for breaks when the whole axis is in sight. */
const breaksShare = 0.35;
/** An axis of nothing is still an axis. */
const leastExtentMs = 1_000;

/** Of the active time: room for the marks at both ends. */
const endShare = 0.012;

/** The axis of all that a timeline reports, with the idle time taken out that there is room to say. */
export function buildAxis(timeline: HistoryTimeline, widthPx: number): CollapsedAxis {
  const from = Math.min(timeline.from, timeline.to - leastExtentMs);
  const { to } = timeline;
  const most = Math.floor((widthPx * breaksShare) / breakPx);
  const instants = timeline.kind === 'marks' ? timeline.at : busyInstants(timeline);
  const idle = findIdle(instants, { from, to, most });
  const activeMs = idle.reduce((left, stretch) => left - (stretch.to - stretch.from), to - from);
  const roomMs = activeMs * endShare;
  return new CollapsedAxis({ from: from - roomMs, to: to + roomMs }, idle, breakPx);
}

/** Both ends of each slice in which something happened. */
function busyInstants({ buckets, bucketMs }: Extract<HistoryTimeline, { kind: 'density' }>): EpochMs[] {
  return buckets.flatMap(({ at }) => [at, at + bucketMs]).sort((a, b) => a - b);
}
