import type { ResourceKey } from '@/lib/observation/resource-state';

/** The names by type that can be reached from the roots, including the roots. */
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
