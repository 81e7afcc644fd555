import { createSerializer, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { timeRangeParsers } from '@/app/_hooks/time-range-parsers';
import { loadGroupings } from '@/lib/load/load-question';

export const loadViews = ['time', 'split', 'places', 'reporters', 'newest'] as const;
export type LoadView = (typeof loadViews)[number];

export const loadSearchParams = {
  view: parseAsStringLiteral(loadViews).withDefault('time'),
  by: parseAsStringLiteral(loadGroupings).withDefault('cluster'),
  /** Empty: all clusters. */
  cluster: parseAsString.withDefault(''),
  /** Empty: all clients. */
  client: parseAsString.withDefault(''),
  /** A LoadSort; empty: errors first. */
  sort: parseAsString.withDefault(''),
  /** The client behavior that the expected shares assume. */
  rules: parseAsStringLiteral(['grpc', 'envoy']).withDefault('grpc'),
};

export const serialiseLoad = createSerializer({ ...loadSearchParams, ...timeRangeParsers });
