import type { TearStep } from '../resolve/find-tears';
import { Resolver, type ResolverOptions } from '../resolve/resolver';
import type { ClusterEntry } from '../resolve/xds-config';
import type { Profile } from '../xds/profile';
import type { EpochMs } from '../xds/units';
import { isClusterWaiting } from './find-failovers';
import { viewEnvoy } from './simulator/envoy-view';
import { viewGrpc } from './simulator/grpc-view';
import { initialState, openSimulation } from './simulator/step-failover';
import { type ClusterTraffic, trafficOfCluster } from './simulator/traffic-of-cluster';
import { whyNoSharesOfCluster } from './simulator/why-no-shares';
import type { SplitPart } from './split-part';

export type SplitRules = 'grpc' | 'envoy';

interface ExpectedShare {
  /** The leaf of an aggregate cluster, or the cluster itself. */
  readonly cluster: string;
  /** A formatted locality, or the address of an endpoint. */
  readonly name: string;
  /** 0 to 1; all are 0 if every request fails. */
  readonly share: number;
}

/** A period in which the effective config implies the same split of the requests to a cluster. */
export interface SplitEpoch {
  readonly fromAt: EpochMs;
  /** null if it has not ended. */
  readonly toAt: EpochMs | null;
  readonly shares: readonly ExpectedShare[];
}

export interface SplitEpochsInput extends ResolverOptions {
  readonly grpcProfile: Profile;
  readonly rules: SplitRules;
  readonly cluster: string;
  readonly by: SplitPart;
  /** The whole history of the client, oldest step first. */
  readonly steps: Iterable<TearStep>;
}

export interface SplitEpochs {
  readonly epochs: readonly SplitEpoch[];
  /** Notes on the newest epoch, or the reason why there is none. */
  readonly notes: readonly string[];
}

const mostShares = 1_000;

/** Replays the history of a client for one cluster: each change of the expected shares begins an epoch. */
export function findSplitEpochs(input: SplitEpochsInput): SplitEpochs {
  const { grpcProfile, rules, cluster, by, steps, ...options } = input;
  const resolver = new Resolver(options);
  const findCluster = (name: string) => resolver.findCluster(name);
  const epochs: SplitEpoch[] = [];
  let notes: readonly string[] = [`cluster "${cluster}": not in the effective config`];
  for (const { at, changed, removed } of steps) {
    if (resolver.apply({ changed, removed }).clusters.size === 0) continue;
    const entry = findCluster(cluster);
    // A client keeps what it has until all of the new config is present.
    if (entry === undefined || isClusterWaiting(entry, findCluster)) continue;
    const traffic = trafficOfCluster(cluster, grpcProfile, findCluster);
    const unknown =
      typeof traffic === 'string'
        ? ''
        : whySubsets(entry) || whyNoSharesOfCluster(rules, cluster, traffic.cluster, findCluster);
    if (typeof traffic === 'string' || unknown !== '') {
      if (epochs.length === 0) notes = [typeof traffic === 'string' ? traffic : unknown];
      continue;
    }
    notes = [...traffic.notes, ...(rules === 'envoy' ? traffic.envoyNotes : [])];
    const shares = expectedShares(traffic, rules, by);
    if (shares.length > mostShares) {
      return {
        epochs: [],
        notes: [
          `cluster "${cluster}": expected at most ${mostShares} endpoints to compare, got ${shares.length}`,
        ],
      };
    }
    const before = epochs.at(-1);
    if (before !== undefined && isSame(before.shares, shares)) continue;
    if (before !== undefined) epochs[epochs.length - 1] = { ...before, toAt: at };
    epochs.push({ fromAt: at, toAt: null, shares });
  }
  return { epochs, notes };
}

/** Measured load is that of all listeners. */
function whySubsets({ name, config }: ClusterEntry): string {
  return config?.ok === true && config.value.subsets !== undefined
    ? `cluster "${name}": shares are not known. lb_subset_config: routes of other listeners can want other hosts`
    : '';
}

/** The shares while every endpoint is as EDS states. */
function expectedShares({ cluster }: ClusterTraffic, rules: SplitRules, by: SplitPart): ExpectedShare[] {
  const simulation = openSimulation(cluster);
  const state = initialState(simulation);
  const { loads } =
    rules === 'grpc'
      ? viewGrpc(simulation.table, simulation.groups, state)
      : viewEnvoy(simulation.table, state);
  const parts = cluster.priorities.flatMap(({ cluster: leaf, localities }) =>
    localities.flatMap(({ name, endpoints }) =>
      (by === 'locality' ? [name] : endpoints.map(({ address }) => address)).map((part) => ({
        cluster: leaf,
        name: part,
      })),
    ),
  );
  const shares = by === 'locality' ? loads.localities : loads.endpoints;
  return parts.map((part, at) => ({ ...part, share: Math.round((shares[at] ?? 0) * 1e6) / 1e6 }));
}

function isSame(one: readonly ExpectedShare[], other: readonly ExpectedShare[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ cluster, name, share }, at) => {
      const same = other[at];
      return cluster === same?.cluster && name === same.name && share === same.share;
    })
  );
}
