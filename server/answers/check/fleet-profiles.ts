import { byDescending } from '@/lib/collections/compare';
import { chooseProfile } from '@/lib/resolve/client-profile';
import { checkLimits as limits } from '@/lib/views/check/schema';
import { clients as clientKinds, newestOf, type Profile } from '@/lib/xds/profile';
import type { LiveState } from '../../live/live-state';
import { inSlices } from '../../workers/threads/in-slices';
import type { KnownSettings } from '../subjects/known-settings';

export interface FleetParts {
  readonly live: Pick<LiveState, 'world'>;
  readonly findSettings: (clientId: string) => KnownSettings;
}

interface FleetColumn {
  readonly profile: Profile;
  readonly clients: number;
  /** The number of these whose version is not measured, and after the measured ones of the profile. Absent: none. */
  readonly nearest?: number;
  /** The versions of these clients are earlier than every measured one. */
  readonly isHint?: true | undefined;
  readonly named: readonly { readonly id: string; readonly nodeId: string }[];
}

export interface Fleet {
  /**
   * One for each profile that a client of the fleet has, and one for each whose rules are hints for some, the most frequent
   * first; without clients, the newest of each.
   */
  readonly columns: readonly FleetColumn[];
  readonly clients: number;
  /** Clients whose implementation is not known. Probes of xdscope are not among them. */
  readonly unidentified: number;
  /** undefined for an unidentified client, and for one of a version that is not measured. */
  readonly profileOf: ReadonlyMap<string, Profile | undefined>;
}

/** The profiles of all clients, those that were imported from files included. */
export async function findFleet({ live, findSettings }: FleetParts): Promise<Fleet> {
  const columns = new Map<
    string,
    FleetColumn & { clients: number; nearest?: number; named: FleetColumn['named'][number][] }
  >();
  const profileOf = new Map<string, Profile | undefined>();
  let unidentified = 0;
  await inSlices([...live.world.values()], ({ clientId, node, reports }) => {
    const { asClient } = findSettings(clientId);
    const { profile, possible, isHint, isNearest } = chooseProfile({ node, asClient: asClient ?? undefined });
    profileOf.set(clientId, possible === undefined && !isHint ? profile : undefined);
    if (possible !== undefined) {
      if (![...reports.values()].some(({ vantage }) => vantage === 'probe')) unidentified += 1;
      return;
    }
    const key = `${profile}${isHint ? ' hint' : ''}`;
    const column = columns.get(key) ?? { profile, isHint, clients: 0, named: [] };
    column.clients += 1;
    if (isNearest) column.nearest = (column.nearest ?? 0) + 1;
    if (column.named.length < limits.clientsNamed) column.named.push({ id: clientId, nodeId: node.id });
    columns.set(key, column);
  });
  if (columns.size === 0)
    for (const kind of clientKinds) columns.set(kind, { profile: newestOf(kind), clients: 0, named: [] });
  return {
    columns: [...columns.values()].sort(byDescending(({ clients }) => clients)),
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
