import { type ResourceSortColumn, resourceSortColumns } from '../../api/resource-sort-columns';
import type { ResourceKey } from '../../observation/observation';
import type { ClientStatus } from '../../xds/status';

/** Which rows of a client. An empty list of types or statuses means all of them. */
export interface ResourceFilter {
  readonly typeUrls: readonly string[];
  readonly statuses: readonly ClientStatus[];
  /** The whole name; left out: any. */
  readonly name?: string;
  /** Words; each must occur in the name, the version, the hash or the reason. */
  readonly text: string;
}

export interface ResourceSort {
  readonly columnId: ResourceSortColumn;
  readonly descending: boolean;
}

export interface ResourceQuestion extends ResourceFilter {
  /** null: the fixed order of types, then names. */
  readonly sort: ResourceSort | null;
}

/** One resource alone. */
export function questionAbout({ typeUrl, name }: ResourceKey): ResourceQuestion {
  return { typeUrls: [typeUrl], statuses: [], name, text: '', sort: null };
}

/** All of one type, in their fixed order. */
export function questionOfType(typeUrl: string): ResourceQuestion {
  return { typeUrls: [typeUrl], statuses: [], text: '', sort: null };
}

/** "size", or "-size" for the biggest first. */
export function formatResourceSort(sort: ResourceSort | null): string {
  return sort === null ? '' : `${sort.descending ? '-' : ''}${sort.columnId}`;
}

/** null where it names no column. */
export function parseResourceSort(text: string): ResourceSort | null {
  const descending = text.startsWith('-');
  const columnId = resourceSortColumns.find((column) => column === (descending ? text.slice(1) : text));
  return columnId === undefined ? null : { columnId, descending };
}
