import { parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { loadGroupings } from '@/lib/load/load-question';
import { commonParams, param, startParams } from '../client/search-params';

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
