import type { LoadAssignment, LocalityEndpoints } from '../../model/endpoints';
import { whySkipped, whyUnused } from '../../resolve/endpoint-use';
import type { ClientKind } from '../client-kind';
import { localityKey } from '../locality-name';

/** A priority of EDS as a client sees it. */
export interface UsedPriority {
  /** EDS's number. */
  readonly priority: number;
  /** In the order of the resource, ignored ones included. */
  readonly localities: readonly LocalityEndpoints[];
  /** Empty when it has a child in the priority policy. */
  readonly reason: string;
  /** Of the localities that count: what child names are chosen by. */
  readonly keys: readonly string[];
}

/** Rules E2 and E12: what is ignored of an assignment. Java and Node drop what has no endpoint left; others keep it. */
export function findUsedPriorities({ priorities }: LoadAssignment, kind: ClientKind): UsedPriority[] {
  return priorities.map(({ priority, localities }) => {
    const weighted = localities.filter((group) => whySkipped(group, kind) === '');
    const dropsEmpty = kind === 'java' || kind === 'node';
    const counted = dropsEmpty ? weighted.filter((group) => hasUsable(group, kind)) : weighted;
    return {
      priority,
      localities,
      reason: counted.length > 0 ? '' : whyDropped(weighted.length, kind),
      keys: counted.map(({ locality }) => localityKey(locality)),
    };
  });
}

function whyDropped(weighted: number, kind: ClientKind): string {
  if (weighted === 0) return 'no locality of it has a weight: no priority of the client';
  return `${kind === 'java' ? 'Java' : 'Node'} drops a priority without a usable endpoint: lower ones move up`;
}

export function hasUsable(group: LocalityEndpoints, kind: ClientKind): boolean {
  return group.endpoints.some((endpoint) => whyUnused(endpoint, kind) === '');
}
