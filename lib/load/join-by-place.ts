import { group } from 'd3';
import { byDescending } from '../collections/compare';
import type { Locality } from '../observation/observation';
import { addLoadTotals, type LoadGroup } from './load-question';

/** Joins groups by client and locality into groups by the locality of clients. The largest are first. */
export function joinByPlace(
  groups: readonly LoadGroup[],
  localityOf: (clientId: string) => Locality | null,
  limit: number,
): {
  readonly groups: readonly LoadGroup[];
  readonly others?: LoadGroup | undefined;
  readonly othersCount: number;
} {
  const byPlace = group(groups, ({ key: { clientId = '', locality } }) =>
    JSON.stringify({ sourceLocality: localityOf(clientId), locality }),
  );
  const joined = [...byPlace]
    .map(([key, members]) => join(JSON.parse(key), members))
    .sort(byDescending(sizeOf));
  const rest = joined.slice(limit);
  return {
    groups: joined.slice(0, limit),
    others: rest.length === 0 ? undefined : join({}, rest),
    othersCount: rest.length,
  };
}

function join(key: LoadGroup['key'], groups: readonly LoadGroup[]): LoadGroup {
  return { key, totals: addLoadTotals(groups.map(({ totals }) => totals)), values: {} };
}

function sizeOf({ totals: { successful, errors } }: LoadGroup): number {
  return Number(successful) + Number(errors);
}
