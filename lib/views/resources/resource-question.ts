import type { ResourceKey } from '../../observation/resource-state';
import type { State } from '../../xds/status';
import type { EpochMs } from '../../xds/units';
import { parseResourceFilter, type ResourceFilter } from './resource-filter';
import { formatTypeKey, parseTypeKey } from './resource-ref';
import { type ResourceSortColumn, resourceSortColumns } from './sort-columns';

export interface ResourceSort {
  readonly columnId: ResourceSortColumn;
  readonly descending: boolean;
}

export interface ResourceQuestion extends ResourceFilter {
  /** null for the fixed order of types, then names. */
  readonly sort: ResourceSort | null;
}

export function queryOfResource({ typeUrl, name }: ResourceKey) {
  return { type: [formatTypeKey(typeUrl)], name };
}

export function queryOfType(typeUrl: string) {
  return { type: [formatTypeKey(typeUrl)] };
}

/** The query of GET clients/{id}/resources, where fields may be absent. */
interface RowsQuery {
  readonly type?: readonly string[] | undefined;
  readonly status?: readonly State[] | undefined;
  readonly name?: string | undefined;
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
}

/** An unknown type has no rows. Ages in the filter end at `now`. */
export function resourceQuestionOf(
  { type = [], status = [], name, q = '', sort = '' }: RowsQuery,
  now?: EpochMs,
): ResourceQuestion {
  return {
    typeUrls: type.map((key) => parseTypeKey(key) ?? key),
    statuses: status,
    ...(name !== undefined && { name }),
    filter: parseResourceFilter(q, now),
    sort: parseResourceSort(sort),
  };
}

/** "size", or "-size" for the largest first. */
export function formatResourceSort(sort: ResourceSort | null): string {
  return sort === null ? '' : `${sort.descending ? '-' : ''}${sort.columnId}`;
}

/** Returns null for an unknown column. */
export function parseResourceSort(text: string): ResourceSort | null {
  const descending = text.startsWith('-');
  const columnId = resourceSortColumns.find((column) => column === (descending ? text.slice(1) : text));
  return columnId === undefined ? null : { columnId, descending };
}
