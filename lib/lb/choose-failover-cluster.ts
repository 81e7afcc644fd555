import type { ClusterEntry } from '../resolve/xds-config';

/**
 * The cluster that a failover is shown for first: of those that the routes reach, the first one with the most
 * priorities that have endpoints. null if there are no clusters.
 */
export function chooseFailoverCluster(entries: Iterable<ClusterEntry>): string | null {
  const all = new Map([...entries].map((entry) => [entry.name, entry]));
  let chosen: string | null = null;
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
  if (children.kind === 'endpoints') return countWithEndpoints(children.endpoints?.priorities ?? []);
  if (children.kind !== 'aggregate') return 0;
  return children.leafClusters.reduce((sum, name) => {
    const leaf = findCluster(name)?.config;
    return leaf?.ok === true && leaf.value.children.kind === 'endpoints'
      ? sum + countWithEndpoints(leaf.value.children.endpoints?.priorities ?? [])
      : sum;
  }, 0);
}

function countWithEndpoints(
  priorities: readonly { readonly localities: readonly { readonly endpoints: readonly unknown[] }[] }[],
): number {
  return priorities.filter(({ localities }) => localities.some(({ endpoints }) => endpoints.length > 0))
    .length;
}
