import { roundDurationsMs } from '../format/duration';

const mostBuckets = 120;

/** Chooses the shortest round length that splits a time range into at most 120 slices. Milliseconds. */
export function chooseBucket(spanMs: number): number {
  return roundDurationsMs.find((length) => spanMs / length <= mostBuckets) ?? Math.ceil(spanMs / mostBuckets);
}
