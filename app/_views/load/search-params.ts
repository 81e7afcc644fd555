import { createSerializer, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { timeRangeParsers } from '@/app/_hooks/time-range-parsers';
import { loadGroupings } from '@/lib/load/load-question';
import { commonParams, param, startParams } from '../client/search-params';

export const loadViews = ['time', 'split', 'places', 'reporters', 'newest'] as const;
export type LoadView = (typeof loadViews)[number];

/** The parameters of the page. */
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

/** The parameters of the Load tab, which shows one cluster or all, up to the shown moment. */
export const loadParams = {
  ...commonParams,
  cluster: startParams.cluster,
  load: param(parseAsStringLiteral(['time', 'split'] as const), 'time'),
  by: param(parseAsStringLiteral(loadGroupings), 'cluster'),
  rules: param(parseAsStringLiteral(['grpc', 'envoy'] as const), 'grpc'),
  /** A LoadSort; empty: the first one of the grouping. */
  sort: param(parseAsString, ''),
};
