import { createSerializer, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { loadGroupings } from '@/lib/load/load-question';
import { loadSpans } from '@/lib/load/load-spans';

export const loadViews = ['time', 'split', 'places', 'reporters', 'newest'] as const;
export type LoadView = (typeof loadViews)[number];

export const loadSearchParams = {
  view: parseAsStringLiteral(loadViews).withDefault('time'),
  by: parseAsStringLiteral(loadGroupings).withDefault('cluster'),
  span: parseAsStringLiteral(loadSpans).withDefault('15m'),
  /** Empty: all clusters. */
  cluster: parseAsString.withDefault(''),
  /** Empty: all clients. */
  client: parseAsString.withDefault(''),
  /** The client behavior that the expected shares assume. */
  rules: parseAsStringLiteral(['grpc', 'envoy']).withDefault('grpc'),
  /** ISO times. The time range ends at `to` (empty: now). A `from` overrides `span`. */
  from: parseAsString.withDefault(''),
  to: parseAsString.withDefault(''),
};

export const serialiseLoad = createSerializer(loadSearchParams);
