import { type ClusterEntry, doubtOfCluster, isWaiting } from '../../resolve/xds-config';
import { formatResourceType } from '../../xds/resource-type';
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

/**
 * States what is not known of the cluster of an Envoy and its leaves: whether the Envoy runs them, and what they need and may have,
 * although xdscope does not know it. Empty if all is known.
 */
export function whyInputsUnknown(
  cluster: string,
  findCluster: (name: string) => ClusterEntry | undefined,
): string {
  const config = findCluster(cluster)?.config;
  const doubt = config?.ok ? doubtOfCluster(config.value) : undefined;
  const children = config?.ok ? config.value.children : undefined;
  const members = children?.kind === 'aggregate' ? children.leafClusters : [cluster];
  const unreported = members
    .flatMap((name) => findCluster(name)?.missing ?? [])
    .filter((each) => !isWaiting(each))
    .map(({ typeUrl, name, text }) => `${formatResourceType(typeUrl)} "${name}": ${text}`);
  const all = [...(doubt === undefined ? [] : [doubt]), ...unreported];
  // A doubt is sentences, of which the caller ends the last.
  return all.length === 0
    ? ''
    : `cluster "${cluster}": shares are not known. ${all.join('; ').replace(/\.$/, '')}`;
}
