import type { HistoryTimeline } from '../../api/history';
import type { EpochMs } from '../../xds/units';

/** When a timeline's first event has been: before it there is nothing to look at. Its end when nothing is on it. */
export function firstMoment(timeline: HistoryTimeline): EpochMs {
  if (timeline.kind === 'marks') return Math.ceil(timeline.at[0] ?? timeline.to);
  const [first] = timeline.buckets;
  return first === undefined ? timeline.to : Math.min(timeline.to, first.at + timeline.bucketMs);
}

/** The nearest moment before or after another one at which something happened; undefined: there is none. */
export function stepInstant(
  timeline: HistoryTimeline,
  at: EpochMs,
  direction: 'older' | 'newer',
): EpochMs | undefined {
  let nearest: EpochMs | undefined;
  const look = (exact: EpochMs): void => {
    // Moments are reported in whole milliseconds, and one of them holds what happened until then.
    const instant = Math.ceil(exact);
    if (direction === 'older' ? instant >= at : instant <= at) return;
    if (nearest === undefined || Math.abs(instant - at) < Math.abs(nearest - at)) nearest = instant;
  };
  if (timeline.kind === 'marks') timeline.at.forEach(look);
  else for (const bucket of timeline.buckets) look(bucket.at + timeline.bucketMs);
  return nearest;
}
