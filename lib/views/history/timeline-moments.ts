import { max, min } from 'd3';
import type { EpochMs } from '../../xds/units';
import type { HistoryTimeline } from './schema';

/** The whole millisecond after a timeline's first event, or the timeline's end if it has no events. */
export function firstMoment(timeline: HistoryTimeline): EpochMs {
  if (timeline.kind === 'marks') return Math.ceil(timeline.at[0] ?? timeline.to);
  const [first] = timeline.buckets;
  return first === undefined ? timeline.to : Math.min(timeline.to, first.at + timeline.bucketMs);
}

/** Returns the nearest event's time before or after another time; undefined if there is none. */
export function stepInstant(
  timeline: HistoryTimeline,
  at: EpochMs,
  direction: 'older' | 'newer',
): EpochMs | undefined {
  const ends =
    timeline.kind === 'marks' ? timeline.at : timeline.buckets.map((bucket) => bucket.at + timeline.bucketMs);
  // Moments are whole milliseconds; a moment includes the events until then.
  const instants = ends.map(Math.ceil);
  if (direction === 'older') return max(instants.filter((instant) => instant < at));
  return min(instants.filter((instant) => instant > at));
}
