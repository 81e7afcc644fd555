import { parseAsString, parseAsStringLiteral } from 'nuqs/server';

export const churnSpans = ['15m', '1h', '6h', '24h'] as const;
export type ChurnSpan = (typeof churnSpans)[number];

export const churnSearchParams = {
  span: parseAsStringLiteral(churnSpans).withDefault('1h'),
  /** A short name as in "CDS", or a type URL; empty: all types. */
  type: parseAsString.withDefault(''),
  /** ISO times. The time range ends at `to` (empty: now). A `from` overrides `span`. */
  from: parseAsString.withDefault(''),
  to: parseAsString.withDefault(''),
};

const minuteMs = 60_000;

export const churnSpanMs: Readonly<Record<ChurnSpan, number>> = {
  '15m': 15 * minuteMs,
  '1h': 60 * minuteMs,
  '6h': 360 * minuteMs,
  '24h': 1_440 * minuteMs,
};
