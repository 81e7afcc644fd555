import type { TearStep } from '../resolve/find-tears';
import { Resolver, type ResolverOptions } from '../resolve/resolver';
import { type ClusterEntry, statusOfCluster } from '../resolve/xds-config';
import type { EpochMs } from '../xds/units';
import type { ClientKind } from './client-kind';
import type { PrioritySplit } from './envoy/split-priorities';
import { viewEnvoy } from './simulator/envoy-view';
import { explainEnvoy } from './simulator/explain-envoy';
import { explainGrpc } from './simulator/explain-grpc';
import { viewGrpc } from './simulator/grpc-view';
import { openSimulation, settle } from './simulator/step-failover';
import type { TrafficCluster } from './simulator/traffic-cluster';
import { trafficOfCluster } from './simulator/traffic-of-cluster';

export const trafficTurns = ['first', 'failover', 'return', 'lost', 'spill', 'other'] as const;
/**
 * What became different. For gRPC: failover, to a lower priority; return, to a higher one; lost, nobody is left. spill:
 * gRPC stays, and Envoy's shares are other ones. other: priorities or localities came, went, or have other names.
 */
export type TrafficTurn = (typeof trafficTurns)[number];

export interface TrafficPlace {
  /** The leaf cluster. */
  readonly cluster: string;
  /** In words. */
  readonly locality: string;
  /** Place of its priority. */
  readonly priority: number;
}

/** A time in which the requests of a cluster went to the same priorities, by what EDS reported the client. */
export interface TrafficPeriod {
  readonly turn: TrafficTurn;
  readonly fromAt: EpochMs;
  /** null: it lasts. */
  readonly toAt: EpochMs | null;
  /** Names of the priorities, in their order. */
  readonly priorities: readonly string[];
  /** Of them, the one that has gRPC's requests; null: they fail. */
  readonly grpc: string | null;
  /** Where each locality is: what reports the priority of a load report, as gRPC clients leave that field empty. */
  readonly places: readonly TrafficPlace[];
  /** Whole per cent of Envoy's requests, in the same order. */
  readonly envoy: readonly number[];
  readonly grpcSentences: readonly string[];
  readonly envoySentences: readonly string[];
}

export interface FailoversInput extends ResolverOptions {
  readonly kind: ClientKind;
  /** undefined: the first that the routes reach at the end. */
  readonly cluster: string | undefined;
  /** The client's whole life, oldest first; gone through twice when no cluster is named. */
  readonly steps: () => Iterable<TearStep>;
}

export interface Failovers {
  /** null: the config has none. */
  readonly cluster: string | null;
  readonly periods: readonly TrafficPeriod[];
}

/**
 * Replays a client's history for one cluster. Of connections nothing is observed: an endpoint that EDS calls healthy is
 * taken as connected, so that a failover is seen when the control plane reports it, not when sockets broke.
 */
export function findFailovers({ kind, cluster: asked, steps, ...options }: FailoversInput): Failovers {
  const cluster = asked ?? firstAtTheEnd(options, steps());
  if (cluster === null) return { cluster, periods: [] };
  const resolver = new Resolver(options);
  const periods: TrafficPeriod[] = [];
  for (const { at, changed, removed } of steps()) {
    const { clusters } = resolver.apply({ changed, removed });
    if (clusters.size === 0) continue;
    const entry = resolver.findCluster(cluster);
    // Not there yet, or no more: what was before lasts, since a client keeps its policies until there are others.
    if (entry === undefined || isWaiting(entry, (name) => resolver.findCluster(name))) continue;
    const traffic = trafficOfCluster(cluster, kind, (name) => resolver.findCluster(name));
    if (typeof traffic === 'string') continue;
    const before = periods.at(-1);
    const next = periodOf(traffic.cluster, at, before);
    if (before !== undefined && isSame(before, next)) continue;
    if (before !== undefined) periods[periods.length - 1] = { ...before, toAt: at };
    periods.push(next);
  }
  return { cluster, periods };
}

/** gRFC A74: no config is used before all of it is there, the leaves of an aggregate included. */
function isWaiting(entry: ClusterEntry, findCluster: (name: string) => ClusterEntry | undefined): boolean {
  if (statusOfCluster(entry) === 'waiting') return true;
  if (entry.config?.ok !== true || entry.config.value.children.kind !== 'aggregate') return false;
  const { leafClusters, waiting } = entry.config.value.children;
  const leaves = leafClusters.map(findCluster);
  return (
    waiting.length > 0 || leaves.some((leaf) => leaf === undefined || statusOfCluster(leaf) === 'waiting')
  );
}

function firstAtTheEnd(options: ResolverOptions, steps: Iterable<TearStep>): string | null {
  const resolver = new Resolver(options);
  for (const { changed, removed } of steps) resolver.apply({ changed, removed });
  for (const { entry } of resolver.clusters()) return entry.name;
  return null;
}

function periodOf(cluster: TrafficCluster, at: EpochMs, before: TrafficPeriod | undefined): TrafficPeriod {
  const simulation = openSimulation(cluster);
  const state = settle(simulation);
  const grpc = viewGrpc(simulation.table, simulation.groups, state);
  const envoy = viewEnvoy(simulation.table, state);
  const priorities = cluster.priorities.map(({ name }) => name);
  const period = {
    fromAt: at,
    toAt: null,
    priorities,
    places: cluster.priorities.flatMap(({ cluster: leaf, localities }, priority) =>
      localities.map(({ name }) => ({ cluster: leaf, locality: name, priority })),
    ),
    grpc: grpc.outcome === 'served' ? (priorities[grpc.chosen] ?? null) : null,
    envoy: priorities.map((_, place) => loadOf(envoy.split.priorities[place])),
    grpcSentences: explainGrpc(cluster, null, grpc, state.second).now,
    envoySentences: explainEnvoy(cluster, state.overprovisioningFactor, envoy),
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
  if (after.grpc === null) return 'lost';
  if (before.grpc === null) return 'return';
  const [from, to] = [after.priorities.indexOf(before.grpc), after.priorities.indexOf(after.grpc)];
  // Who was used is gone from the config: it cannot be said to be higher or lower.
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
