import { findChosen } from '../resolve/choose-for-request';
import { holdsEndpoints } from '../resolve/endpoint-use';
import type { TearStep } from '../resolve/find-tears';
import { Resolver, type ResolverOptions } from '../resolve/resolver';
import { type ClusterEntry, statusOfCluster } from '../resolve/xds-config';
import { clientOf, type Profile } from '../xds/profile';
import type { EpochMs } from '../xds/units';
import { chooseFailoverCluster } from './choose-failover-cluster';
import type { PrioritySplit } from './envoy/split-priorities';
import { conditionOfHealth } from './simulator/endpoint-condition';
import { viewEnvoy } from './simulator/envoy-view';
import { explainEnvoy } from './simulator/explain-envoy';
import { explainGrpc } from './simulator/explain-grpc';
import { viewGrpc } from './simulator/grpc-view';
import { initialState, openSimulation } from './simulator/step-failover';
import type { TrafficCluster } from './simulator/traffic-cluster';
import { trafficOfCluster } from './simulator/traffic-of-cluster';
import { whyNoShares, whyNoSharesOfEnvoy } from './simulator/why-no-shares';

export const trafficTurns = ['first', 'failover', 'return', 'lost', 'spill', 'other'] as const;
/**
 * The kind of a change of traffic. For gRPC, `failover`: to a lower priority; `return`: to a higher one; `lost`: no
 * priority is left. `spill`: only Envoy's shares changed. `other`: priorities or localities were added, removed or
 * renamed.
 */
export type TrafficTurn = (typeof trafficTurns)[number];

interface TrafficPlace {
  /** The leaf cluster. */
  readonly cluster: string;
  /** Formatted locality. */
  readonly locality: string;
  /** Index of its priority. */
  readonly priority: number;
}

/**
 * A period in which the requests of a cluster went to the same priorities, according to the EDS resources of the
 * client.
 */
interface TrafficPeriod {
  readonly turn: TrafficTurn;
  readonly fromAt: EpochMs;
  /** Absent if the period has not ended. */
  readonly toAt?: EpochMs | undefined;
  /** Names of the priorities, in their order. */
  readonly priorities: readonly string[];
  /** The priority that gets gRPC's requests; absent if they fail. */
  readonly grpc?: string | undefined;
  /**
   * Priority of each locality. Maps a load report to a priority, because gRPC clients leave that field of the report
   * empty.
   */
  readonly places: readonly TrafficPlace[];
  /** Whole per cent of Envoy's requests per priority, in the same order; empty if they are not known. */
  readonly envoy: readonly number[];
  readonly grpcSentences: readonly string[];
  readonly envoySentences: readonly string[];
}

interface FailoversInput extends ResolverOptions {
  /** The profile of gRPC; `profile` states by whose rules the config is resolved, which can be Envoy's. */
  readonly grpcProfile: Profile;
  /** If undefined, the first cluster that the routes reach at the end. */
  readonly cluster: string | undefined;
  /** The id of the requests to a cluster with subsets; undefined: all requests. */
  readonly requests?: string | undefined;
  /** The whole history of the client, oldest step first. Iterated twice if no cluster is named. */
  readonly steps: () => Iterable<TearStep>;
}

export interface Failovers {
  /** Absent if the config has no cluster. */
  readonly cluster?: string | undefined;
  readonly periods: readonly TrafficPeriod[];
}

/**
 * Replays the history of a client for one cluster. Connections are not observed: an endpoint that EDS reports as
 * HEALTHY counts as connected, so a failover appears when the control plane reports it and not when connections
 * break.
 */
export function findFailovers({
  grpcProfile,
  cluster: asked,
  requests,
  steps,
  ...options
}: FailoversInput): Failovers {
  const cluster = asked ?? chosenAtTheEnd(options, steps());
  if (cluster === undefined) return { cluster, periods: [] };
  const resolver = new Resolver(options);
  const periods: TrafficPeriod[] = [];
  let lastUsable: TrafficCluster | null = null;
  for (const { at, changed, removed } of steps()) {
    const { clusters } = resolver.apply({ changed, removed });
    if (clusters.size === 0) continue;
    const entry = resolver.findCluster(cluster);
    // The cluster is absent or waits for data. The period continues, because a client keeps its policies until it has
    // others.
    if (entry === undefined || isClusterWaiting(entry, (name) => resolver.findCluster(name))) continue;
    const chosen = findChosen(entry, requests);
    const traffic = trafficOfCluster(cluster, grpcProfile, (name) => resolver.findCluster(name), chosen);
    if (typeof traffic === 'string') continue;
    if (hasUsable(traffic.cluster)) lastUsable = traffic.cluster;
    const before = periods.at(-1);
    const held = holdsEndpoints(grpcProfile) && lastUsable !== traffic.cluster ? lastUsable : null;
    const unknown =
      clientOf(options.profile) === 'envoy'
        ? whyNoSharesOfEnvoy(cluster, traffic.cluster, (name) => resolver.findCluster(name))
        : whyNoShares(traffic.cluster, 'envoy');
    const next = periodOf(traffic.cluster, held, at, before, unknown);
    if (before !== undefined && isSame(before, next)) continue;
    if (before !== undefined) periods[periods.length - 1] = { ...before, toAt: at };
    periods.push(next);
  }
  return { cluster, periods };
}

/** gRFC A74: a config is used only when all of it is present, including the leaves of an aggregate. */
export function isClusterWaiting(
  entry: ClusterEntry,
  findCluster: (name: string) => ClusterEntry | undefined,
): boolean {
  if (statusOfCluster(entry) === 'waiting') return true;
  if (entry.config?.ok !== true || entry.config.value.children.kind !== 'aggregate') return false;
  const { leafClusters, waiting } = entry.config.value.children;
  const leaves = leafClusters.map(findCluster);
  return (
    waiting.length > 0 || leaves.some((leaf) => leaf === undefined || statusOfCluster(leaf) === 'waiting')
  );
}

function chosenAtTheEnd(options: ResolverOptions, steps: Iterable<TearStep>): string | undefined {
  const resolver = new Resolver(options);
  for (const { changed, removed } of steps) resolver.apply({ changed, removed });
  return chooseFailoverCluster([...resolver.clusters()].map(({ entry }) => entry));
}

/** Returns true if EDS has an endpoint that gRPC connects to. */
function hasUsable({ priorities }: TrafficCluster): boolean {
  return priorities.some(({ localities }) =>
    localities.some(
      ({ weight, endpoints }) =>
        weight !== undefined &&
        weight > 0 &&
        endpoints.some(({ health }) => conditionOfHealth(health) === 'healthy'),
    ),
  );
}

/**
 * `held`: what gRPC continues to use although EDS has no usable endpoint left; null if nothing. `unknown`: why Envoy's shares
 * are not known; empty if they are.
 */
function periodOf(
  cluster: TrafficCluster,
  held: TrafficCluster | null,
  at: EpochMs,
  before: TrafficPeriod | undefined,
  unknown: string,
): TrafficPeriod {
  const simulation = openSimulation(cluster);
  const state = initialState(simulation);
  const envoy = viewEnvoy(simulation.table, state);
  const used = held ?? cluster;
  const heldSimulation = held === null ? simulation : openSimulation(held);
  const grpcState = held === null ? state : initialState(heldSimulation);
  const grpc = { ...viewGrpc(heldSimulation.table, heldSimulation.groups, grpcState), isHeld: held !== null };
  const priorities = used.priorities.map(({ name }) => name);
  const period = {
    fromAt: at,
    priorities,
    places: used.priorities.flatMap(({ cluster: leaf, localities }, priority) =>
      localities.map(({ name }) => ({ cluster: leaf, locality: name, priority })),
    ),
    grpc: grpc.outcome === 'served' ? priorities[grpc.chosen] : undefined,
    envoy: (unknown === '' ? priorities : []).map((name) =>
      envoy.failing === 1
        ? 0
        : loadOf(envoy.split.priorities[cluster.priorities.findIndex((each) => each.name === name)]),
    ),
    grpcSentences: explainGrpc(used, null, grpc, state.second).now,
    envoySentences: unknown === '' ? explainEnvoy(cluster, envoy) : [unknown],
  };
  return { turn: turnOf(before, period), ...period };
}

function loadOf(split: PrioritySplit | undefined): number {
  return split === undefined ? 0 : split.healthyLoad + split.degradedLoad;
}

function turnOf(before: TrafficPeriod | undefined, after: Omit<TrafficPeriod, 'turn'>): TrafficTurn {
  if (before === undefined) return 'first';
  if (before.grpc === after.grpc) {
    const isSpill = isSameList(before.priorities, after.priorities) && !isSameList(before.envoy, after.envoy);
    return isSpill ? 'spill' : 'other';
  }
  if (after.grpc === undefined) return 'lost';
  if (before.grpc === undefined) return 'return';
  const [from, to] = [after.priorities.indexOf(before.grpc), after.priorities.indexOf(after.grpc)];
  // The previous priority is no longer in the config, so the change is neither up nor down.
  if (from < 0) return 'other';
  return to > from ? 'failover' : 'return';
}

function isSame(one: TrafficPeriod, other: TrafficPeriod): boolean {
  return (
    one.grpc === other.grpc &&
    isSameList(one.priorities, other.priorities) &&
    isSameList(one.envoy, other.envoy) &&
    isSameList(one.places.map(placeKey), other.places.map(placeKey))
  );
}

function placeKey({ cluster, locality, priority }: TrafficPlace): string {
  return `${priority}\u0000${cluster}\u0000${locality}`;
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, at) => each === other[at]);
}
