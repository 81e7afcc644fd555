import type { Locality } from '../observation/observation';
import { addLoadTotals, type LoadGroup } from './load-question';

/** Groups of clients and localities, put together by where the clients are. The largest first. */
export function joinByPlace(
  groups: readonly LoadGroup[],
  localityOf: (clientId: string) => Locality | null,
  limit: number,
): {
  readonly groups: readonly LoadGroup[];
  readonly others: LoadGroup | null;
  readonly othersCount: number;
} {
  const found = new Map<string, LoadGroup[]>();
  for (const group of groups) {
    const { clientId = '', locality } = group.key;
    const key = JSON.stringify({ sourceLocality: localityOf(clientId), locality });
    const members = found.get(key);
    if (members === undefined) found.set(key, [group]);
    else members.push(group);
  }
  const joined = [...found]
    .map(([key, members]): LoadGroup => {
      return { key: JSON.parse(key), totals: addLoadTotals(members.map(({ totals }) => totals)), values: {} };
    })
    .sort((a, b) => sizeOf(b) - sizeOf(a));
  const rest = joined.slice(limit);
  return {
    groups: joined.slice(0, limit),
    others:
      rest.length === 0
        ? null
        : { key: {}, totals: addLoadTotals(rest.map(({ totals }) => totals)), values: {} },
    othersCount: rest.length,
  };
}

function sizeOf({ totals: { successful, errors } }: LoadGroup): number {
  return Number(successful) + Number(errors);
}
