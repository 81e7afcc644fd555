import { parseAsArrayOf, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { omitEmpty } from '@/app/_ask/query-text';
import type { RowsQuery } from '@/app/_ask/resource-pages';
import { type NamePart, nameParts } from '@/lib/format/names/name-part';
import { formatTypeKey, parseTypeKey } from '@/lib/views/resources/resource-ref';
import { resourceSortColumns } from '@/lib/views/resources/sort-columns';
import { states } from '@/lib/xds/status';
import { commonParams, param, type ViewQuery } from '../client/search-params';

const parseAsSort = parseAsStringLiteral([
  ...resourceSortColumns,
  ...resourceSortColumns.map((column) => `-${column}` as const),
]);

export const resourcesParams = {
  ...commonParams,
  type: param<string[]>(parseAsArrayOf(parseAsString), []),
  status: param(parseAsArrayOf(parseAsStringLiteral(states)), []),
  q: param(parseAsString, ''),
  /** "size", or "-size" for the largest first; empty: the fixed order of types. */
  sort: param(parseAsString, ''),
  /** The parts of names that have columns. */
  columns: param<NamePart[]>(parseAsArrayOf(parseAsStringLiteral(nameParts)), []),
};
export type ResourcesViewQuery = ViewQuery<typeof resourcesParams>;

export function rowsQueryOf({ type, status, q, sort }: ResourcesViewQuery): RowsQuery {
  return {
    // Unknown types are left out.
    type: type.flatMap((key) => formatKnownType(key) ?? []),
    status,
    ...omitEmpty({ q: q.trim(), sort: parseAsSort.parse(sort) ?? '' }),
  };
}

function formatKnownType(key: string): string | undefined {
  const typeUrl = parseTypeKey(key);
  return typeUrl && formatTypeKey(typeUrl);
}
