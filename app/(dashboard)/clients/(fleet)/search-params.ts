import { parseAsBoolean, parseAsString } from 'nuqs';
import type { DataSort } from '../../../_components/data-column';

/** What the fleet table keeps in the URL. */
export const fleetSearchParams = {
  filter: parseAsString.withDefault(''),
  sort: parseAsString.withDefault('status'),
  descending: parseAsBoolean.withDefault(false),
};

export const fleetUrlKeys = { filter: 'q', sort: 'sort', descending: 'desc' } as const;

export function toDataSort(sort: string, descending: boolean): DataSort {
  return { columnId: sort, descending };
}
