import { compareSortValues } from '../../format/compare-names';
import { findNamePart, type NamePart } from '../../format/names/name-part';
import { compareResourceKeys } from '../../observation/compare-resource-keys';
import type { ResourceRow } from '../../observation/resource-row';
import type { ResourceKey } from '../../observation/resource-state';
import { normaliseTypeUrl, resourceTypes } from '../../xds/resource-type';
import { type ConfigStatus, stateRank } from '../../xds/status';
import type { ResourceSort } from './resource-question';
import type { ResourceSortColumn } from './sort-columns';

/** null is unknown, and last in both directions. */
type SortValue = string | number | null;

/** The place of a row in an order, which is unique within a client. */
export interface RowPlace extends ResourceKey {
  readonly value: SortValue;
}

/** Worst first. */
const configOrder: readonly ConfigStatus[] = ['ERROR', 'STALE', 'NOT_SENT', 'SYNCED', 'UNKNOWN'];
const typeRanks = new Map(resourceTypes.map(({ typeUrl }, rank) => [typeUrl, rank]));

const sortValues: Readonly<Record<ResourceSortColumn, (row: ResourceRow) => SortValue>> = {
  type: (row) => typeRanks.get(normaliseTypeUrl(row.typeUrl)) ?? resourceTypes.length,
  name: (row) => row.name,
  status: (row) => (row.state === null ? null : stateRank(row.state)),
  'control-plane': (row) => configOrder.indexOf(row.configStatus),
  version: (row) => (row.versionInfo === '' ? null : row.versionInfo),
  updated: (row) => row.lastUpdated,
  changed: (row) => row.changedAt,
  size: (row) => row.sizeBytes,
  hash: (row) => row.hash,
  service: partOf('service'),
  namespace: partOf('namespace'),
  port: partOf('port'),
  subset: partOf('subset'),
  direction: partOf('direction'),
  fqdn: partOf('fqdn'),
};

function partOf(part: NamePart): (row: ResourceRow) => SortValue {
  return ({ name, typeUrl }) => findNamePart(name, typeUrl, part);
}

export function placeOf(row: ResourceRow, sort: ResourceSort | null): RowPlace {
  const value = sort === null ? null : sortValues[sort.columnId](row);
  return { value, typeUrl: row.typeUrl, name: row.name };
}

/** Compares by value, then by the fixed order. Unknown values are last in both directions. */
export function comparePlaces(sort: ResourceSort | null): (a: RowPlace, b: RowPlace) => number {
  const isDescending = sort?.descending === true;
  return (a, b) => compareSortValues(a.value, b.value, isDescending) || compareResourceKeys(a, b);
}
