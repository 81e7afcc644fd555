import { parseAsArrayOf, parseAsBoolean, parseAsString } from 'nuqs';
import type { DataSort } from '../../../_components/data-column';

/** What the fleet table keeps in the URL. */
export const fleetSearchParams = {
  filter: parseAsString.withDefault(''),
  sort: parseAsString.withDefault('status'),
  descending: parseAsBoolean.withDefault(false),
  group: parseAsString.withDefault(''),
  open: parseAsArrayOf(parseAsString).withDefault([]),
};

export const fleetUrlKeys = {
  filter: 'q',
  sort: 'sort',
  descending: 'desc',
  group: 'group',
  open: 'open',
} as const;

export function toDataSort(sort: string, descending: boolean): DataSort {
  return { columnId: sort, descending };
}

/** What the cohorts keep in the URL. */
export const cohortsSearchParams = {
  filter: parseAsString.withDefault(''),
  type: parseAsString.withDefault(''),
};

export const cohortsUrlKeys = { filter: 'q', type: 'type' } as const;
