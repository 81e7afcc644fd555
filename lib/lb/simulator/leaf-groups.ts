import type { TrafficCluster } from './traffic-cluster';

/**
 * Places of the priorities by the policy that they are in: one list where a single priority policy has them all (a leaf
 * cluster; any cluster of Go), else one per leaf cluster of the aggregate (gRFC A75).
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
