import type { ResourceSortColumn } from '../../api/resource-sort-columns';
import { compareValues } from '../../format/compare-names';
import { compareResourceKeys } from '../../observation/compare-resource-keys';
import type { ResourceKey } from '../../observation/observation';
import type { RowOf } from '../../observation/resource-row';
import { normaliseTypeUrl, resourceTypes } from '../../xds/resource-type';
import { type ConfigStatus, clientStatusRank } from '../../xds/status';
import type { EpochMs } from '../../xds/units';
import type { ResourceSort } from './resource-question';

/** null: unknown, which is neither small nor big. */
export type SortValue = string | number | null;

/** Where a row stands in an order: no two rows of a client stand in the same place. */
export interface RowPlace extends ResourceKey {
  readonly value: SortValue;
}

/** Worst first, as with the client's statuses. */
const configOrder: readonly ConfigStatus[] = ['ERROR', 'STALE', 'NOT_SENT', 'SYNCED', 'UNKNOWN'];

const typeRanks = new Map(resourceTypes.map(({ typeUrl }, rank) => [typeUrl, rank]));

/** Rows of the server have times in epoch milliseconds, those of its answers in ISO 8601. */
type OrderedRow = RowOf<EpochMs | string>;

function toEpochMs(time: EpochMs | string): EpochMs {
  return typeof time === 'number' ? time : Date.parse(time);
}

export const sortValues: Readonly<Record<ResourceSortColumn, (row: OrderedRow) => SortValue>> = {
  type: (row) => typeRanks.get(normaliseTypeUrl(row.typeUrl)) ?? resourceTypes.length,
  name: (row) => row.name,
  status: (row) => clientStatusRank(row.clientStatus),
  'control-plane': (row) => configOrder.indexOf(row.configStatus),
  version: (row) => (row.versionInfo === '' ? null : row.versionInfo),
  updated: (row) => (row.lastUpdated === null ? null : toEpochMs(row.lastUpdated)),
  changed: (row) => toEpochMs(row.changedAt),
  size: (row) => row.sizeBytes,
  hash: (row) => row.hash,
};

export function placeOf(row: OrderedRow, sort: ResourceSort | null): RowPlace {
  const value = sort === null ? null : sortValues[sort.columnId](row);
  return { value, typeUrl: row.typeUrl, name: row.name };
}

/** Equal values stand in the fixed order, and unknown ones last, in both directions. */
export function comparePlaces(sort: ResourceSort | null): (a: RowPlace, b: RowPlace) => number {
  const sign = sort?.descending === true ? -1 : 1;
  return (a, b) => {
    if (a.value !== null && b.value !== null) {
      return sign * compareValues(a.value, b.value) || compareResourceKeys(a, b);
    }
    if (a.value !== b.value) return a.value === null ? 1 : -1;
    return compareResourceKeys(a, b);
  };
}
