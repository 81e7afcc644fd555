import type { TearStep } from '../resolve/find-tears';
import { assignmentOf } from '../resolve/leaf-assignment';
import { Resolver, type ResolverOptions } from '../resolve/resolver';
import { statusOfCluster } from '../resolve/xds-config';
import type { Profile } from '../xds/profile';
import { type ChildNumbers, numberChildren } from './grpc/child-numbers';
import { grpcClientOf } from './grpc-profile';
import { findUsedPriorities } from './tree/used-priorities';

interface ChildNumbersInput extends ResolverOptions {
  readonly grpcProfile: Profile;
  /** History of the client, oldest step first. */
  readonly steps: Iterable<TearStep>;
}

/**
 * Child numbers of the priorities of each leaf cluster after all updates. A cluster that is removed from the config,
 * or that fails as a whole, loses its policies and their numbers.
 */
export function findChildNumbers({
  grpcProfile,
  steps,
  ...options
}: ChildNumbersInput): Map<string, ChildNumbers> {
  const client = grpcClientOf(grpcProfile);
  const resolver = new Resolver(options);
  const numbers = new Map<string, ChildNumbers>();
  for (const { changed, removed } of steps) {
    for (const name of resolver.apply({ changed, removed }).clusters) {
      const entry = resolver.findCluster(name);
      if (entry === undefined || entry.config?.ok === false) numbers.delete(name);
      // A cluster that waits for data keeps its policies.
      if (entry?.config?.ok !== true || statusOfCluster(entry) === 'waiting') continue;
      const used = findUsedPriorities(assignmentOf(entry.config.value), client).filter(
        ({ reason }) => reason === '',
      );
      const keys = used.map((priority) => priority.keys);
      numbers.set(name, numberChildren[client](numbers.get(name) ?? null, keys));
    }
  }
  return numbers;
}
