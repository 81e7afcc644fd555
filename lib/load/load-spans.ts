/** The time ranges of load. */
export const loadSpans = ['15m', '1h', '6h', '24h', '7d'] as const;
export type LoadSpanName = (typeof loadSpans)[number];

const minuteMs = 60_000;

const lengths: Readonly<Record<LoadSpanName, number>> = {
  '15m': 15 * minuteMs,
  '1h': 60 * minuteMs,
  '6h': 360 * minuteMs,
  '24h': 1_440 * minuteMs,
  '7d': 10_080 * minuteMs,
};

/** Returns a time range in milliseconds, by default the first one. */
export function loadSpanMs(name: string | undefined): number {
  return lengths[loadSpans.find((each) => each === name) ?? loadSpans[0]];
}
