import { formatExactTime } from '../../format/exact-time';
import type { EpochMs } from '../../xds/units';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** As exact as ticks so far apart need: "11-20", "02:31", "02:31:07", "02:31:07.042". */
export function formatAxisTime(at: EpochMs, stepMs: number, timeZone: string): string {
  const exact = formatExactTime(at, timeZone);
  if (stepMs < 1_000) return exact.slice(11, 23);
  if (stepMs < minuteMs) return exact.slice(11, 19);
  return stepMs < dayMs ? exact.slice(11, 16) : exact.slice(5, 10);
}
