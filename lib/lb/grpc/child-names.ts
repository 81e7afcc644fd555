import type { GrpcClient } from '../../xds/profile';

/**
 * The name of a child as the client writes it. `clusterPlace` is the index of the cluster among the leaves of an
 * aggregate. `number` is null for DNS, whose only priority has the first number; Go gives it none.
 */
export function childName(
  client: GrpcClient,
  cluster: string,
  number: number | null,
  clusterPlace = 0,
): string {
  switch (client) {
    case 'core':
      return `{cluster=${cluster}, child_number=${number ?? 0}}`;
    case 'go':
      return number === null ? `priority-${clusterPlace}` : `priority-${clusterPlace}-${number}`;
    case 'java':
      return `${cluster}[child${number ?? 1}]`;
    case 'node':
      return `cluster=${cluster}, child_number=${number ?? 0}`;
  }
}
