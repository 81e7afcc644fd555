import { ascending } from '../../collections/compare';
import type { EpochMs } from '../../xds/units';
import { findIdle } from './collapse-idle';
import { CollapsedAxis } from './collapsed-axis';
import type { HistoryTimeline } from './schema';

const breakPx = 40;
/** The largest share of the width for breaks if the whole axis is visible. */
const breaksShare = 0.35;
const leastExtentMs = 1_000;

/** The share of the active time that is added at both ends, as room for marks. */
const endShare = 0.012;

/** Builds the axis of a timeline. As many idle stretches are collapsed as breaks fit on the axis. */
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

/** Both ends of each slice with events. */
function busyInstants({ buckets, bucketMs }: Extract<HistoryTimeline, { kind: 'density' }>): EpochMs[] {
  return buckets.flatMap(({ at }) => [at, at + bucketMs]).sort(ascending);
}
