import { byDescending } from '@/lib/collections/compare';
import { chooseProfile } from '@/lib/resolve/client-profile';
import { checkLimits as limits } from '@/lib/views/check/schema';
import { clients as clientKinds, newestOf, type Profile } from '@/lib/xds/profile';
import type { LiveState } from '../../live/live-state';
import type { KnownSettings } from '../../subjects/known-settings';
import { inSlices } from '../../threads/in-slices';

export interface FleetParts {
  readonly live: Pick<LiveState, 'world'>;
  readonly findSettings: (clientId: string) => KnownSettings;
}

export interface FleetColumn {
  readonly profile: Profile;
  readonly clients: number;
  readonly named: readonly { readonly id: string; readonly nodeId: string }[];
}

export interface Fleet {
  /** One for each profile that a client of the fleet has, the most frequent first; without clients, the newest of each. */
  readonly columns: readonly FleetColumn[];
  readonly clients: number;
  /** Clients of which it is not known what they are. */
  readonly unidentified: number;
  /** undefined for an unidentified client. */
  readonly profileOf: ReadonlyMap<string, Profile | undefined>;
}

/** The profiles of all clients, those that were imported from files included. */
export async function findFleet({ live, findSettings }: FleetParts): Promise<Fleet> {
  const columns = new Map<Profile, { clients: number; named: FleetColumn['named'][number][] }>();
  const profileOf = new Map<string, Profile | undefined>();
  let unidentified = 0;
  await inSlices([...live.world.values()], ({ clientId, node }) => {
    const { asClient } = findSettings(clientId);
    const { profile, possible } = chooseProfile({ node, asClient: asClient ?? undefined });
    profileOf.set(clientId, possible === undefined ? profile : undefined);
    if (possible !== undefined) {
      unidentified += 1;
      return;
    }
    const column = columns.get(profile) ?? { clients: 0, named: [] };
    column.clients += 1;
    if (column.named.length < limits.clientsNamed) column.named.push({ id: clientId, nodeId: node.id });
    columns.set(profile, column);
  });
  if (columns.size === 0)
    for (const kind of clientKinds) columns.set(newestOf(kind), { clients: 0, named: [] });
  const found = [...columns].map(([profile, column]) => ({ profile, ...column }));
  return {
    columns: found.sort(byDescending(({ clients }) => clients)),
    clients: profileOf.size,
    unidentified,
    profileOf,
  };
}

/** More comparisons of a client with a resource take more than a second. */
const mostComparisons = 5_000_000;

/** Returns the ids of the clients that report each resource, or undefined if there are too many to look at. */
export async function findHolders(
  { live }: FleetParts,
  { profileOf }: Fleet,
  keys: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  if (profileOf.size * keys.length > mostComparisons) return undefined;
  const holders = new Map<string, string[]>(keys.map((key) => [key, []]));
  await inSlices([...live.world.values()], ({ clientId, reports }) => {
    const own = [...reports.values()];
    for (const [key, found] of holders)
      if (own.some(({ resources }) => resources.has(key))) found.push(clientId);
  });
  return holders;
}
