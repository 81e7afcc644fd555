import type { TrafficCluster } from './traffic-cluster';

/**
 * Returns all reasons why the shares of requests are not known by the rules of Envoy, or of gRPC, for each cluster. Envoy: settings
 * decide them that are not modelled, or addresses are not reported. gRPC: the application defines the LB policy. Empty if they are
 * known.
 */
export function whyNoShares({ priorities, unused }: TrafficCluster, rules: 'envoy' | 'grpc'): string {
  const reasons = new Map<string, string[]>();
  for (const { cluster, envoy, isUnresolved, unknownPolicy } of priorities) {
    const own =
      rules === 'grpc'
        ? unused === null && unknownPolicy !== undefined
          ? [
              `load_balancing_policy: ${unknownPolicy} is a policy of the application, and its behavior is not known`,
            ]
          : []
        : [
            ...(isUnresolved
              ? ['Envoy resolves the names of its endpoints, and their addresses are not reported']
              : []),
            ...(envoy.notModelled === '' ? [] : [envoy.notModelled]),
          ];
    if (own.length > 0) reasons.set(cluster, own);
  }
  return [...reasons]
    .map(([cluster, own]) => `cluster "${cluster}": shares are not known. ${own.join('; ')}`)
    .join('; ');
}
