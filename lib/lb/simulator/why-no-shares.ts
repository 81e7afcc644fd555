import type { TrafficCluster } from './traffic-cluster';

/**
 * Returns why the shares of an Envoy's requests are not known: a setting decides them that is not modelled, or addresses are not
 * reported. Empty if they are known.
 */
export function whyNoShares({ priorities }: TrafficCluster): string {
  for (const { cluster, envoy, isUnresolved } of priorities) {
    if (isUnresolved)
      return `cluster "${cluster}": shares are not known. Envoy resolves the names of its endpoints, and their addresses are not reported`;
    if (envoy.notModelled !== '') return `cluster "${cluster}": shares are not known. ${envoy.notModelled}`;
  }
  return '';
}
