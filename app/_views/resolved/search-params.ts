import { createParser, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import type { ClientQuery } from '@/app/_ask/client-question';
import { omitEmpty } from '@/app/_ask/query-text';
import { resolvedClusterStatuses } from '@/lib/resolve/xds-config';
import {
  firstPages,
  formatTablePages,
  parseTablePages,
  type TablePages,
} from '@/lib/views/fields/table-pages';
import {
  param,
  parseAsNaturalNumber,
  resolveStartOf,
  startParams,
  type ViewQuery,
} from '../client/search-params';

const parseAsTablePages = createParser<TablePages>({
  parse: (text) => parseTablePages(text) ?? null,
  serialize: formatTablePages,
  eq: (a, b) => formatTablePages(a) === formatTablePages(b),
});

export const resolvedParams = {
  ...startParams,
  clusters: param(parseAsString, ''),
  cstatus: param(parseAsStringLiteral(['', ...resolvedClusterStatuses]), ''),
  offset: param(parseAsNaturalNumber, 0),
  /** The first listed virtual host of each chain, and the first listed route of each virtual host. */
  hosts: param(parseAsTablePages, firstPages),
  routes: param(parseAsTablePages, firstPages),
  /** Empty: the first list that has a warning. */
  list: param(parseAsStringLiteral(['', 'ignored', 'dangling', 'orphan', 'dynamic', 'tears'] as const), ''),
  /** The first listed reference. */
  refs: param(parseAsNaturalNumber, 0),
};
type ResolvedViewQuery = ViewQuery<typeof resolvedParams>;

export const clustersPerPage = 100;

export function resolvedQueryOf(query: ResolvedViewQuery): ClientQuery<'resolved'> {
  const { clusters: find, cstatus: status, offset, hosts, routes } = query;
  return {
    ...resolveStartOf(query),
    ...omitEmpty({ find, status }),
    offset,
    limit: clustersPerPage,
    endpoints: 0,
    // The first pages are the default.
    ...(Object.keys(hosts).length > 0 && { hostsFrom: formatTablePages(hosts) }),
    ...(Object.keys(routes).length > 0 && { routesFrom: formatTablePages(routes) }),
  };
}

export function witnessesQueryOf(query: ResolvedViewQuery): ClientQuery<'witnesses'> {
  return resolveStartOf(query);
}
