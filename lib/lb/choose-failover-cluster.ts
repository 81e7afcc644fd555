import { assignmentOf } from '../resolve/leaf-assignment';
import type { ClusterConfig, ClusterEntry } from '../resolve/xds-config';

/**
 * The cluster that a failover is shown for first: of those that the routes reach, the first one with the most
 * priorities that have endpoints. undefined if there are no clusters.
 */
export function chooseFailoverCluster(entries: Iterable<ClusterEntry>): string | undefined {
  const all = new Map([...entries].map((entry) => [entry.name, entry]));
  let chosen: string | undefined;
  let most = -1;
  for (const [name, entry] of all) {
    const count = countPriorities(entry, (leaf) => all.get(leaf));
    if (count <= most) continue;
    chosen = name;
    most = count;
  }
  return chosen;
}

function countPriorities(
  { config }: ClusterEntry,
  findCluster: (name: string) => ClusterEntry | undefined,
): number {
  if (config?.ok !== true) return 0;
  const { children } = config.value;
  const leaves =
    children.kind === 'aggregate' ? children.leafClusters.map((name) => findCluster(name)?.config) : [config];
  return leaves.reduce((sum, leaf) => sum + (leaf?.ok === true ? countWithEndpoints(leaf.value) : 0), 0);
}

function countWithEndpoints(config: ClusterConfig): number {
  return assignmentOf(config).priorities.filter(({ localities }) =>
    localities.some(({ endpoints }) => endpoints.length > 0),
  ).length;
}
