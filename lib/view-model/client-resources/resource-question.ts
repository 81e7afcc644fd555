import { type ResourceSortColumn, resourceSortColumns } from '../../api/resource-sort-columns';
import type { ResourceKey } from '../../observation/resource-state';
import type { State } from '../../xds/status';
import { formatTypeKey, parseTypeKey } from './resource-ref';

/** Selects rows of a client. An empty list of types or statuses selects all. */
export interface ResourceFilter {
  readonly typeUrls: readonly string[];
  readonly statuses: readonly State[];
  /** The whole name; by default any name. */
  readonly name?: string;
  /** Words; each must occur in the name, the version, the hash or the reason. */
  readonly text: string;
}

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
export interface RowsQuery {
  readonly type?: readonly string[] | undefined;
  readonly status?: readonly State[] | undefined;
  readonly name?: string | undefined;
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
}

/** An unknown type has no rows. */
export function resourceQuestionOf({
  type = [],
  status = [],
  name,
  q = '',
  sort = '',
}: RowsQuery): ResourceQuestion {
  return {
    typeUrls: type.map((key) => parseTypeKey(key) ?? key),
    statuses: status,
    ...(name !== undefined && { name }),
    text: q,
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
