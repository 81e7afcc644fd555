import type { ZoneRouting } from '../model/zone-config';

interface ZonesSplit {
  /** For each locality, its share of the requests that the zone decides, 0..1; null: the zone does not decide. */
  readonly shares: readonly number[] | null;
  /** The share of the requests that the zone decides, 0..1. */
  readonly decided: number;
  /** Why, as the part of a sentence. */
  readonly reason: string;
}

/** Percentages are whole hundredths of one per cent, as in Envoy. */
const whole = 10_000;

/**
 * Envoy's zone aware routing: "if the percentage of hosts of the local cluster in the client's zone is at most that of the upstream
 * cluster, all requests stay in the zone"; else as many as the zone has capacity for, and the rest is divided by the residual capacity
 * of the others. `healthy`: the healthy endpoints of each locality.
 */
export function splitZones(
  { config, localCluster, own, localHosts, allLocalHosts, isOwnInLocal, isLocalInPanic }: ZoneRouting,
  healthy: readonly number[],
): ZonesSplit {
  const all = healthy.reduce((sum, each) => sum + each, 0);
  const off = (reason: string): ZonesSplit => ({ shares: null, decided: 0, reason });
  if (all < config.minClusterSize)
    return off(`${all} endpoints are healthy, and min_cluster_size is ${config.minClusterSize}`);
  if (!isOwnInLocal) return off(`cluster "${localCluster}" has no host in the locality of the client`);
  const decided = Math.min(100, config.routingEnabled) / 100;
  if (isLocalInPanic && config.failsOnPanic) {
    const reason = `cluster "${localCluster}" is in panic, and fail_traffic_on_panic is set`;
    return { shares: healthy.map(() => 0), decided, reason };
  }
  if (isLocalInPanic) return off(`cluster "${localCluster}" is in panic`);
  const upstream = healthy.map((each) => (all === 0 ? 0 : Math.floor((whole * each) / all)));
  const local = localHosts.map((each, at) =>
    allLocalHosts === 0 || healthy[at] === 0 ? 0 : Math.floor((whole * each) / allLocalHosts),
  );
  const [ownUpstream, ownLocal] = [upstream[own] ?? 0, local[own] ?? 0];
  const inputs =
    own < 0
      ? 'the cluster has no endpoint in the locality of the client'
      : `the locality of the client has ${percent(ownLocal)} of the healthy hosts of cluster "${localCluster}" and ${percent(ownUpstream)} of the healthy endpoints`;
  if (own >= 0 && ownUpstream > 0 && ownUpstream >= ownLocal)
    return { shares: healthy.map((_, at) => (at === own ? 1 : 0)), decided, reason: inputs };
  const kept =
    own >= 0 && ownLocal > 0 ? Math.min(1, Math.floor((ownUpstream * whole) / ownLocal) / whole) : 0;
  const residual = upstream.map((each, at) => (at === own ? 0 : Math.max(0, each - (local[at] ?? 0))));
  const capacity = residual.reduce((sum, each) => sum + each, 0);
  const shares = residual.map((each, at) => {
    const others = capacity === 0 ? 1 / healthy.length : each / capacity;
    return (at === own ? kept : 0) + (1 - kept) * others;
  });
  return { shares, decided, reason: inputs };
}

function percent(hundredths: number): string {
  return `${Math.round(hundredths) / 100}%`;
}
