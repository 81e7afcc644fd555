import type { ClientKind } from '../client-kind';

/**
 * The name of a child as the client writes it. `clusterPlace` is the index of the cluster among the leaves of an
 * aggregate. `number` is null for DNS, whose only priority has the first number; Go gives it none.
 */
export function childName(
  kind: ClientKind,
  cluster: string,
  number: number | null,
  clusterPlace = 0,
): string {
  switch (kind) {
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
