import { createSerializer, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { loadGroupings } from '@/lib/load/load-question';

export const loadSpans = ['15m', '1h', '6h', '24h', '7d'] as const;
export type LoadSpanName = (typeof loadSpans)[number];

export const loadViews = ['time', 'split', 'places', 'reporters', 'newest'] as const;
export type LoadView = (typeof loadViews)[number];

export const loadSearchParams = {
  view: parseAsStringLiteral(loadViews).withDefault('time'),
  by: parseAsStringLiteral(loadGroupings).withDefault('cluster'),
  span: parseAsStringLiteral(loadSpans).withDefault('15m'),
  /** A cluster's name; empty: all. */
  cluster: parseAsString.withDefault(''),
  /** A client's id; empty: all. */
  client: parseAsString.withDefault(''),
  /** Whose rules say what is expected. */
  rules: parseAsStringLiteral(['grpc', 'envoy']).withDefault('grpc'),
  /** ISO times. The span ends at `to`, or now; `from` counts more than the span. */
  from: parseAsString.withDefault(''),
  to: parseAsString.withDefault(''),
};

export const serialiseLoad = createSerializer(loadSearchParams);

const minuteMs = 60_000;

export const loadSpanMs: Readonly<Record<LoadSpanName, number>> = {
  '15m': 15 * minuteMs,
  '1h': 60 * minuteMs,
  '6h': 360 * minuteMs,
  '24h': 1_440 * minuteMs,
  '7d': 10_080 * minuteMs,
};
