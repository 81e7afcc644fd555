export const minuteMs = 60_000;
export const hourMs = 3_600_000;
/** What rolled sums are of. */
export const minuteTier = 1;
export const hourTier = 2;
