/** Spans of time that people look at load over. */
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

/** Milliseconds; of what is none of them, as of the first. */
export function loadSpanMs(name: string | undefined): number {
  return lengths[loadSpans.find((each) => each === name) ?? loadSpans[0]];
}
