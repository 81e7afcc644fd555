import type { TrafficCluster } from './traffic-cluster';

/**
 * Returns why the shares of requests are not known by the rules of Envoy, or of gRPC. Envoy: a setting decides them that is not
 * modelled, or addresses are not reported. gRPC: the application defines the LB policy. Empty if they are known.
 */
export function whyNoShares({ priorities, unused }: TrafficCluster, rules: 'envoy' | 'grpc'): string {
  for (const { cluster, envoy, isUnresolved, unknownPolicy } of priorities) {
    const subject = `cluster "${cluster}": shares are not known`;
    if (rules === 'grpc') {
      if (unused === null && unknownPolicy !== undefined)
        return `${subject}. load_balancing_policy: ${unknownPolicy} is a policy of the application, and its behavior is not known`;
      continue;
    }
    if (isUnresolved)
      return `${subject}. Envoy resolves the names of its endpoints, and their addresses are not reported`;
    if (envoy.notModelled !== '') return `${subject}. ${envoy.notModelled}`;
  }
  return '';
}
