import type { ClientKind } from '../client-kind';
import { nextCoreNumbers } from './core-child-numbers';
import { nextGoNumbers } from './go-child-numbers';
import { nextJavaNumbers } from './java-child-numbers';
import { nextNodeNumbers } from './node-child-numbers';

/** Per priority, ascending: the keys of its localities, in the order of the resource. */
export type PriorityLocalities = readonly (readonly string[])[];

/** What is remembered between two updates of one cluster. */
export interface ChildNumbers {
  /** Per priority. */
  readonly numbers: readonly number[];
  readonly localities: PriorityLocalities;
  /** No number from here on was ever given. */
  readonly next: number;
}

/** How a client numbers the children of a priority policy, so that localities that move keep their connections. */
export type NumberChildren = (before: ChildNumbers | null, localities: PriorityLocalities) => ChildNumbers;

export const numberChildren: Readonly<Record<ClientKind, NumberChildren>> = {
  core: nextCoreNumbers,
  go: nextGoNumbers,
  java: nextJavaNumbers,
  node: nextNodeNumbers,
};

/**
 * As the client writes the child's name; `clusterPlace` is where the cluster is among an aggregate's leaves. `number`:
 * null for DNS, whose one priority has the first number; Go gives it none.
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
