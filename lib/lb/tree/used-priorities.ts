import type { LoadAssignment, LocalityEndpoints } from '../../model/endpoints';
import { whySkipped, whyUnused } from '../../resolve/endpoint-use';
import type { GrpcClient } from '../../xds/profile';
import { localityKey } from '../locality-name';

export interface UsedPriority {
  /** The priority number in EDS. */
  readonly priority: number;
  /** The localities in the order of the resource, ignored ones included. */
  readonly localities: readonly LocalityEndpoints[];
  /** The reason why it has no child in the priority policy; empty if it has one. */
  readonly reason: string;
  /** Keys of the localities that count. Child names are derived from them. */
  readonly keys: readonly string[];
}

/**
 * Rules E2 and E12: the ignored parts of an assignment. Java and Node drop a priority that has no endpoint left; the
 * others keep it.
 */
export function findUsedPriorities({ priorities }: LoadAssignment, client: GrpcClient): UsedPriority[] {
  return priorities.map(({ priority, localities }) => {
    const weighted = localities.filter((group) => whySkipped(group, client) === '');
    const dropsEmpty = client === 'java' || client === 'node';
    const counted = dropsEmpty ? weighted.filter((group) => hasUsable(group, client)) : weighted;
    return {
      priority,
      localities,
      reason: counted.length > 0 ? '' : whyDropped(weighted.length, client),
      keys: counted.map(({ locality }) => localityKey(locality)),
    };
  });
}

function whyDropped(weighted: number, client: GrpcClient): string {
  if (weighted === 0) return 'none of its localities has a weight';
  return `${client === 'java' ? 'Java' : 'Node'} drops a priority without a usable endpoint: lower ones move up`;
}

export function hasUsable(group: LocalityEndpoints, client: GrpcClient): boolean {
  return group.endpoints.some((endpoint) => whyUnused(endpoint, client) === '');
}
