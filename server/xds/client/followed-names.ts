import { followedReferences } from '@/lib/model/followed-references';
import type { Reference } from '@/lib/model/references';
import type { ResourceKey } from '@/lib/observation/observation';
import { normaliseResourceName } from '@/lib/xds/resource-name';

const none: readonly ResourceKey[] = [];

/** The resources that a resource makes a client ask for. */
export function followedNames(references: readonly Reference[]): readonly ResourceKey[] {
  if (references.length === 0) return none;
  const followed = followedReferences(references);
  if (followed.length === 0) return none;
  return followed.map(({ typeUrl, name }) => ({ typeUrl, name: normaliseResourceName(name) }));
}

/**
 * Everything that can be reached from the roots, roots included, each once. Roots, and not reference counts, decide:
 * two aggregate clusters that name each other would keep each other for ever.
 */
export function reachableFrom(
  roots: Iterable<ResourceKey>,
  followsOf: (key: ResourceKey) => readonly ResourceKey[],
): Map<string, Set<string>> {
  const reached = new Map<string, Set<string>>();
  const waiting = [...roots];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    const names = reached.get(key.typeUrl) ?? new Set();
    reached.set(key.typeUrl, names);
    if (names.has(key.name)) continue;
    names.add(key.name);
    waiting.push(...followsOf(key));
  }
  return reached;
}
