import { isOnSameStream } from '@/lib/model/config-source';
import type { Reference } from '@/lib/model/references';
import type { ResourceKey } from '@/lib/observation/observation';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import { CDS, EDS, RDS } from '@/lib/xds/resource-type';

/**
 * What a gRPC client follows. The other references (secrets, scoped routes, virtual hosts, clusters that filters call,
 * what comes from a file or from another server) are shown, not asked for.
 */
const followed: ReadonlySet<string> = new Set([RDS.typeUrl, CDS.typeUrl, EDS.typeUrl]);

/** The resources that a resource makes a client ask for. */
export function followedNames(references: readonly Reference[]): ResourceKey[] {
  return references
    .filter(({ typeUrl, how, from }) => followed.has(typeUrl) && how !== 'service' && isOnSame(from))
    .map(({ typeUrl, name }) => ({ typeUrl, name: normaliseResourceName(name) }));
}

function isOnSame(from: Reference['from']): boolean {
  return from === null || isOnSameStream(from);
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
