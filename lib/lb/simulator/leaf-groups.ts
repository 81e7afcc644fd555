import type { TrafficCluster } from './traffic-cluster';

/**
 * Indices of the priorities, grouped by priority policy: one group if a single policy has all of them (a leaf
 * cluster; every cluster of Go), else one group for each leaf cluster of the aggregate (gRFC A75).
 */
export function leafGroups({ priorities, kind }: TrafficCluster): number[][] {
  const groups: number[][] = [];
  let cluster: string | undefined;
  priorities.forEach((priority, at) => {
    const isSame = kind === 'go' || priority.cluster === cluster;
    if (isSame && groups.length > 0) groups.at(-1)?.push(at);
    else groups.push([at]);
    cluster = priority.cluster;
  });
  return groups;
}
