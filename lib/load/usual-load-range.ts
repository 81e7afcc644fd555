import { lastRange } from '../time/time-range';

/** The time range of load on pages and in permalinks whose URL states none. */
export const usualLoadRange = lastRange(15 * 60_000);
