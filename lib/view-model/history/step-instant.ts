import type { HistoryTimeline } from '../../api/history';
import type { EpochMs } from '../../xds/units';

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
