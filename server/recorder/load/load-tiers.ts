export const minuteMs = 60_000;
export const hourMs = 3_600_000;
/** What rolled sums are of. */
export const minuteTier = 1;
export const hourTier = 2;
/** Not of sums: from when on those of all clients together are kept (load-fleet.ts). */
export const fleetReach = 10;
/** ... and with their raw values and intervals, of which a chart can be made. */
export const cellReach = 11;
