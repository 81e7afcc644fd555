import { parseAsString, parseAsStringLiteral } from 'nuqs/server';
import type { ClientQuery } from '@/app/_ask/client-question';
import { omitEmpty } from '@/app/_ask/query-text';
import { endpointSortColumns } from '@/lib/views/connections/sort-columns';
import { commonParams, param, parseAsNaturalNumber, type ViewQuery } from '../client/search-params';

export const connectionsParams = {
  ...commonParams,
  endpoints: param(parseAsStringLiteral(['all', 'disagreements'] as const), 'all'),
  /** A part of a cluster, locality, address or error. */
  q: param(parseAsString, ''),
  /** A column, or "-" and a column for the largest first; empty: by cluster, priority and locality. */
  sort: param(parseAsString, ''),
  /** The first listed endpoint. */
  skip: param(parseAsNaturalNumber, 0),
};

export const endpointsPerPage = 100;

export function connectionsQueryOf({
  endpoints: only,
  q,
  sort,
  skip: offset,
}: ViewQuery<typeof connectionsParams>): ClientQuery<'connections'> {
  const column = endpointSortColumns.find((each) => each === sort || `-${each}` === sort);
  const sorted = column === undefined ? '' : sort.startsWith('-') ? (`-${column}` as const) : column;
  return { only, ...omitEmpty({ q: q.trim(), sort: sorted }), offset, limit: endpointsPerPage };
}
