import { range } from 'd3';
import type { Change } from '../../lb/simulator/change';
import { conditionOfHealth } from '../../lb/simulator/endpoint-condition';
import {
  type EndpointTable,
  endpointsOfLocality,
  localitiesOfPriority,
} from '../../lb/simulator/endpoint-table';
import { chooseByRank, fairShares } from './fair-shares';

/** The listed localities of each priority, with their endpoints, as indexes of the table. */
export type Listed = readonly (readonly {
  readonly locality: number;
  readonly endpoints: readonly number[];
}[])[];

const localitiesListed = 60;
const endpointsListedOfOne = 40;
const endpointsListedOfAll = 200;

/**
 * Chooses the localities and endpoints of large clusters evenly. Those that a change or `find` names are preferred, then those
 * that are not healthy by EDS. `find` is a part of a locality's name or of an address. The table's order is kept.
 */
export function chooseListed(table: EndpointTable, changes: readonly Change[], find: string): Listed {
  const isWanted = wantedBy(changes, find);
  const priorities = table.cluster.priorities.map((_, priority) =>
    range(...localitiesOfPriority(table, priority)),
  );
  const rankOf = (locality: number): number => rankOfLocality(table, locality, isWanted);
  const shares = fairShares(
    priorities.map(({ length }) => length),
    localitiesListed,
  );
  const chosen = priorities.map((localities, at) => chooseByRank(localities, shares[at] ?? 0, rankOf));
  const flat = chosen.flat();
  const counts = flat.map((locality) => {
    const [from, end] = endpointsOfLocality(table, locality);
    return Math.min(endpointsListedOfOne, end - from);
  });
  const endpointShares = new Map(
    fairShares(counts, endpointsListedOfAll).map((share, at) => [flat[at], share] as const),
  );
  return chosen.map((localities) =>
    localities.map((locality) => {
      const [from, end] = endpointsOfLocality(table, locality);
      const own = table.localities[locality]?.endpoints ?? [];
      const endpoints = chooseByRank(range(from, end), endpointShares.get(locality) ?? 0, (at) => {
        const { address = '', health = '' } = own[at - from] ?? {};
        if (isWanted(address)) return 0;
        return conditionOfHealth(health) === 'healthy' ? 2 : 1;
      });
      return { locality, endpoints };
    }),
  );
}

function rankOfLocality(
  { localities }: EndpointTable,
  locality: number,
  isWanted: (name: string) => boolean,
): number {
  const { name = '', endpoints = [] } = localities[locality] ?? {};
  if (isWanted(name) || endpoints.some(({ address }) => isWanted(address))) return 0;
  return endpoints.every(({ health }) => conditionOfHealth(health) === 'healthy') ? 2 : 1;
}

function wantedBy(changes: readonly Change[], find: string): (name: string) => boolean {
  const named = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'factor') continue;
    const { locality, address } = change.target;
    // With an address, the locality only identifies the endpoint.
    const name = address ?? locality;
    if (name !== undefined) named.add(name);
  }
  return (name) => named.has(name) || (find !== '' && name.includes(find));
}
