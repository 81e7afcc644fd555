import type { TrafficCluster } from './traffic-cluster';

/**
 * Returns why the shares of an Envoy's requests are not known: a setting decides them that is not modelled. Empty if they are
 * known. `localCluster`: local_cluster_name of its bootstrap; undefined if it is not reported.
 */
export function whyNoShares({ priorities }: TrafficCluster, localCluster: string | undefined): string {
  for (const { cluster, envoy, localities } of priorities) {
    if (envoy.notModelled !== '') return `cluster "${cluster}": shares are not known. ${envoy.notModelled}`;
    // Envoy: zone aware routing needs local_cluster_name, and hosts in more than one zone; locality weights exclude it.
    if (localCluster && localities.length > 1 && !envoy.isLocalityWeighted)
      return `cluster "${cluster}": shares are not known. The bootstrap has local_cluster_name "${localCluster}": by zone aware routing, they depend on the hosts of that cluster in each zone`;
  }
  return '';
}
