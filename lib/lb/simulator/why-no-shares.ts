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
 * Returns all reasons why the shares of a cluster of an Envoy are not known: those of whyNoShares(), and that it is not known whether
 * the Envoy runs it, or has what it and its leaves need. Empty if they are known.
 */
export function whyNoSharesOfEnvoy(
  cluster: string,
  traffic: TrafficCluster,
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
  // A doubt is sentences, of which the caller ends the last.
  const inputs = [...(doubt === undefined ? [] : [doubt.replace(/\.$/, '')]), ...unreported].join('; ');
  const unknown = whyNoShares(traffic, 'envoy');
  if (inputs === '') return unknown;
  return unknown === '' ? `cluster "${cluster}": shares are not known. ${inputs}` : `${unknown}; ${inputs}`;
}

/** All reasons why the shares of a cluster are not known by the rules of its client; empty if they are. */
export function whyNoSharesOfCluster(
  rules: 'envoy' | 'grpc',
  cluster: string,
  traffic: TrafficCluster,
  findCluster: (name: string) => ClusterEntry | undefined,
): string {
  return rules === 'envoy' ? whyNoSharesOfEnvoy(cluster, traffic, findCluster) : whyNoShares(traffic, rules);
}
