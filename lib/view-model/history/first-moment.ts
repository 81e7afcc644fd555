import type { HistoryTimeline } from '../../api/history';
import type { EpochMs } from '../../xds/units';

/** When a timeline's first event has been: before it there is nothing to look at. Its end when nothing is on it. */
export function firstMoment(timeline: HistoryTimeline): EpochMs {
  if (timeline.kind === 'marks') return Math.ceil(timeline.at[0] ?? timeline.to);
  const [first] = timeline.buckets;
  return first === undefined ? timeline.to : Math.min(timeline.to, first.at + timeline.bucketMs);
}
