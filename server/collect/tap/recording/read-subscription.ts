import { normaliseResourceName } from '@/lib/xds/resource-name';
import { EDS, RDS } from '@/lib/xds/resource-type';
import type { ObservedRequest } from './decode-request';
import type { RowChanges } from './row-changes';
import type { TypeHoldings } from './type-holdings';
import type { Wants } from './type-subscriptions';

export interface Subscription {
  readonly wants: Wants & { names: Set<string> };
  /** States whether the stream has named a resource of the type. From then on an empty list means no resources. */
  hasNamed: boolean;
  isKnown: boolean;
}

/** These types are never requested without names. */
const namedTypes: ReadonlySet<string> = new Set([RDS.typeUrl, EDS.typeUrl]);

/** The changed names without the wildcard. */
export interface SubscriptionChange {
  readonly added: readonly string[];
  readonly dropped: readonly string[];
}

/** State of the world: each request contains all names. An empty list is the wildcard until the stream has sent a name. */
export function readWhole(
  { resourceNames, typeUrl }: ObservedRequest,
  type: Subscription,
): SubscriptionChange {
  const names = new Set(resourceNames.map(normaliseResourceName));
  type.hasNamed ||= names.size > 0;
  type.wants.wildcard = names.delete('*') || (!type.hasNamed && !namedTypes.has(typeUrl));
  const before = type.wants.names;
  type.wants.names = names;
  return {
    added: [...names].filter((name) => !before.has(name)),
    dropped: [...before].filter((name) => !names.has(name)),
  };
}

/**
 * gRPC-Java 1.60 sends no request when it drops the last resource of a type, as it drops the route configuration of each
 * listener that changes. It then requests what it needs with the names and the nonce of its last request.
 */
export function repeatsAfterDrop(userAgentName: string): boolean {
  return userAgentName === 'gRPC Java';
}

/** Delta: each request contains the added and removed names. */
export function readDelta(request: ObservedRequest, type: Subscription): SubscriptionChange {
  const { names } = type.wants;
  const added = request.resourceNames.map(normaliseResourceName).filter((name) => !names.has(name));
  const dropped = request.unsubscribedNames.map(normaliseResourceName);
  if (added.includes('*') || (!type.isKnown && added.length === 0 && !namedTypes.has(request.typeUrl))) {
    type.wants.wildcard = true;
  }
  if (dropped.includes('*')) type.wants.wildcard = false;
  for (const name of added) if (name !== '*') names.add(name);
  for (const name of dropped) names.delete(name);
  return { added: added.filter((name) => name !== '*'), dropped: dropped.filter((name) => name !== '*') };
}

/** Delta: the first request of a stream contains all resources that the client holds. */
export function keepOnly(
  held: TypeHoldings,
  versions: ReadonlyMap<string, string>,
  changes: RowChanges,
): void {
  const kept = new Set([...versions.keys()].map(normaliseResourceName));
  for (const [name] of [...held.rows]) if (!kept.has(name)) held.drop(name, changes);
}
