import { range } from 'd3';
import { defaultOverprovisioningFactor } from '../../lb/envoy/availability';
import { slowConnectSeconds } from '../../lb/simulator/apply-changes';
import type { Change } from '../../lb/simulator/change';
import { describeChange } from '../../lb/simulator/change';
import { conditionCode, conditionOfHealth, endpointConditions } from '../../lb/simulator/endpoint-condition';
import type { EndpointTable } from '../../lb/simulator/endpoint-table';
import {
  endpointsOfLocality,
  endpointsOfPriority,
  localitiesOfPriority,
} from '../../lb/simulator/endpoint-table';
import type { Loads } from '../../lb/simulator/loads';
import type { Moment } from '../../lb/simulator/play-failover';
import { playFailover } from '../../lb/simulator/play-failover';
import { openSimulation } from '../../lb/simulator/step-failover';
import type { ClusterTraffic } from '../../lb/simulator/traffic-of-cluster';
import { chooseByRank, fairShares } from './fair-shares';
import type { FailoverMoment, FailoverSimulation } from './schema';

export type SimulationContent = Omit<
  FailoverSimulation,
  'clientId' | 'at' | 'revision' | 'cluster' | 'moment'
>;

const momentsListed = 200;
/** A moment takes half a microsecond for each endpoint. Large clusters have fewer moments, to limit the time. */
const endpointMoments = 100_000;
const leastMoments = 20;

export function buildSimulation(
  {
    cluster,
    dropPercent,
    notes,
    envoyNotes,
    retriedOn = [],
  }: Omit<ClusterTraffic, 'grpcNotes'> & { readonly retriedOn?: readonly string[] },
  changes: readonly Change[],
  seconds: number,
  find = '',
): SimulationContent {
  const simulation = openSimulation(cluster);
  const { table } = simulation;
  const listed = chooseListed(table, changes, find);
  const names = cluster.priorities.map(({ name }) => name);
  const moments: FailoverMoment[] = [];
  const most = Math.min(
    momentsListed,
    Math.max(leastMoments, Math.floor(endpointMoments / (table.size + 1))),
  );
  let isCut = false;
  for (const moment of playFailover(simulation, changes, seconds)) {
    isCut = moments.length >= most;
    if (isCut) break;
    moments.push(buildMoment(moment, table, listed, names));
  }
  return {
    profile: cluster.profile,
    panicThreshold: cluster.panicThreshold,
    dropPercent,
    retriedOn: [...retriedOn],
    slowConnectSeconds,
    priorities: cluster.priorities.map(
      (
        { name, cluster: leaf, policy, weightedPriorityHealth, envoy, localities, isConnected, hasHosts },
        priority,
      ) => ({
        name,
        ...(isConnected && { isConnected }),
        ...(hasHosts && { hasHosts }),
        cluster: leaf,
        policy,
        panicThreshold: envoy.panicThreshold,
        weightedPriorityHealth,
        isLocalityWeighted: envoy.isLocalityWeighted,
        localities: (listed[priority] ?? []).flatMap(({ locality, endpoints }) => {
          const found = table.localities[locality];
          if (found === undefined) return [];
          return {
            name: found.name,
            weight: found.weight,
            ...(found.isFailing && { isFailing: found.isFailing }),
            endpoints: endpoints.flatMap((at) => {
              const endpoint = found.endpoints[at - endpointsOfLocality(table, locality)[0]];
              return endpoint === undefined ? [] : [{ ...endpoint }];
            }),
            endpointsTotal: found.endpoints.length,
          };
        }),
        localitiesTotal: localities.length,
        endpointsTotal: localities.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
      }),
    ),
    moments,
    notes: isCut ? [...notes, `the first ${most} moments are listed`] : [...notes],
    envoyNotes: [...envoyNotes],
  };
}

function buildMoment(
  { second, changes, missed, grpc, envoy, state, grpcSentences, envoySentences }: Moment,
  table: EndpointTable,
  listed: ListedLocalities,
  names: readonly string[],
): FailoverMoment {
  const ofEndpoints = <T>(value: (endpoint: number) => T): T[][][] =>
    listed.map((localities) => localities.map(({ endpoints }) => endpoints.map(value)));
  const ofLocalities = <T>(value: (locality: number) => T): T[][] =>
    listed.map((localities) => localities.map(({ locality }) => value(locality)));
  const shares = (loads: Loads): Pick<FailoverMoment['grpc'], 'localities' | 'endpoints'> => ({
    localities: ofLocalities((at) => round(loads.localities[at])),
    endpoints: ofEndpoints((at) => round(loads.endpoints[at])),
  });
  const all = ([from, to]: readonly [number, number]): Omit<FailoverMoment['all'][number], 'localities'> => {
    const codes = state.conditions.subarray(from, to);
    const code = codes.every((each) => each === codes[0]) ? codes[0] : undefined;
    const healthy = codes.reduce((sum, each) => sum + (each === conditionCode.healthy ? 1 : 0), 0);
    return { condition: (code !== undefined && endpointConditions[code]) || undefined, healthy };
  };
  const rest = (until: number | null | undefined): number | undefined =>
    until == null ? undefined : until - second;
  return {
    second,
    changes: changes.map((change) => describeChange(change, names)),
    missed: missed.map((change) => describeChange(change, names)),
    weights: ofLocalities((at) => state.weights[at] ?? null),
    conditions: ofEndpoints((at) => endpointConditions[state.conditions[at] ?? 0] ?? 'healthy'),
    all: ofLocalities((at) => all(endpointsOfLocality(table, at))).map((localities, priority) => ({
      ...all(endpointsOfPriority(table, priority)),
      localities,
    })),
    grpc: {
      outcome: grpc.outcome,
      chosen: grpc.chosen,
      sentences: [...grpcSentences],
      priorities: grpc.priorities.map(({ child, counts }, at) => ({
        load: round(grpc.loads.priorities[at]),
        state: child?.state,
        ready: counts?.ready ?? 0,
        wanted: counts === null ? 0 : counts.ready + counts.connecting + counts.failed,
        failoverIn: rest(child?.failoverAt),
        deactivateIn: rest(child?.deactivateAt),
      })),
      ...shares(grpc.loads),
    },
    envoy: {
      failing: round(envoy.failing),
      toUnhealthy: round(envoy.toUnhealthy),
      totalAvailability: envoy.split.totalAvailability,
      sentences: [...envoySentences],
      priorities: table.cluster.priorities.map((_, at) => {
        const split = envoy.split.priorities[at];
        const hosts = envoy.healths[at]?.hosts;
        return {
          load: round(envoy.loads.priorities[at]),
          healthyLoad: split?.healthyLoad ?? 0,
          degradedLoad: split?.degradedLoad ?? 0,
          healthyAvailability: split?.healthyAvailability ?? 0,
          degradedAvailability: split?.degradedAvailability ?? 0,
          isPanic: envoy.panics[at] ?? false,
          overprovisioningFactor: envoy.healths[at]?.overprovisioningFactor ?? defaultOverprovisioningFactor,
          healthy: hosts?.healthy ?? 0,
          degraded: hosts?.degraded ?? 0,
          total: hosts?.total ?? 0,
          excluded: hosts?.excluded ?? 0,
        };
      }),
      ...shares(envoy.loads),
    },
  };
}

/** Rounds to a millionth. */
function round(load: number | undefined): number {
  return Math.round((load ?? 0) * 1e6) / 1e6;
}

/** The listed localities of each priority, with their endpoints, as indexes of the table. */
type ListedLocalities = readonly (readonly {
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
function chooseListed(table: EndpointTable, changes: readonly Change[], find: string): ListedLocalities {
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
