import { createSerializer, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { loadGroupings } from '@/lib/load/load-question';
import { loadSpans } from '@/lib/load/load-spans';

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
