import { usualLoadRange } from '@/lib/load/usual-load-range';
import { everything, lastRange, type TimeRange } from '@/lib/time/time-range';

export const overviewRange = lastRange(60 * 60_000);

/** The pages with a time range: the range of each if its URL states none. */
const ranges: readonly (readonly [path: RegExp, range: TimeRange])[] = [
  [/^\/$/, overviewRange],
  [/^\/load$/, usualLoadRange],
  [/^\/clients\/[^/]+\/load$/, usualLoadRange],
  [/^\/(?:history|nacks|pushes)$/, everything],
  // The range of the scrubber.
  [/^\/clients\/[^/]+\/[^/]+$/, everything],
  [/^\/clients\/(?!(?:cohorts|sizes|identity)$)[^/]+$/, everything],
];

/** null: the page has no time range. */
export function findPageRange(path: string): TimeRange | null {
  return ranges.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}
