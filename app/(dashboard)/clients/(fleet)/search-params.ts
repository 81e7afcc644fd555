import { parseAsArrayOf, parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from 'nuqs';
import { identityKinds } from '@/lib/fleet/identity-kinds';
import { autoSizeGroup, sizeSorts } from '@/lib/fleet/size-group';
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

/** Of `group`: clients one by one. */
export const noSizeGroup = 'none';

/** Which of the sizes are looked at; empty: all clients, all types of one, all resources of that. */
export const sizesSearchParams = {
  client: parseAsString.withDefault(''),
  type: parseAsString.withDefault(''),
  name: parseAsString.withDefault(''),
  filter: parseAsString.withDefault(''),
  /** Of all clients: `auto`, `none`, `runs` or a field of their nodes. */
  group: parseAsString.withDefault(autoSizeGroup),
  /** Of clients and types. */
  sort: parseAsStringLiteral(sizeSorts).withDefault('bytes'),
};

export const sizesUrlKeys = {
  client: 'client',
  type: 'type',
  name: 'name',
  filter: 'q',
  group: 'group',
  sort: 'sort',
} as const;

export const identitySearchParams = {
  kind: parseAsStringLiteral(identityKinds).withDefault('duplicate'),
  q: parseAsString.withDefault(''),
  from: parseAsInteger.withDefault(0),
};
