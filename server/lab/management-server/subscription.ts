import { findCollection } from '@/lib/xds/resource-name';

export interface Subscription {
  readonly wildcard: boolean;
  /** "*" is excluded. */
  readonly names: ReadonlySet<string>;
  /**
   * States whether the client has named any resource (or "*") for this type on this stream. Only before that an empty
   * list means everything (xDS protocol, "legacy wildcard").
   */
  readonly everNamed: boolean;
}

export const noSubscription: Subscription = { wildcard: false, names: new Set(), everNamed: false };

export function covers({ wildcard, names }: Subscription, typeUrl: string, name: string): boolean {
  if (wildcard || names.has(name)) return true;
  const collection = findCollection(typeUrl, name);
  return collection !== undefined && names.has(collection);
}

/** State of the world: `resourceNames` is always the complete subscription. */
export function subscribeSotw(old: Subscription, resourceNames: readonly string[]): Subscription {
  const everNamed = old.everNamed || resourceNames.length > 0;
  const names = new Set(resourceNames);
  const wildcard = names.delete('*') || !everNamed;
  return { wildcard, names, everNamed };
}

/** Returns whether `next` covers a name, or everything, that `old` did not. The server must then answer. */
export function gained(old: Subscription, next: Subscription): boolean {
  if (old.wildcard) return false;
  if (next.wildcard) return true;
  for (const name of next.names) if (!old.names.has(name)) return true;
  return false;
}

/**
 * Delta: subscribe and unsubscribe are differences. A first request with both lists empty is the legacy wildcard;
 * later names do not end it, only unsubscribing "*" does.
 */
export function subscribeDelta(
  old: Subscription,
  change: { isFirst: boolean; subscribe: readonly string[]; unsubscribe: readonly string[] },
): Subscription {
  const { isFirst, subscribe, unsubscribe } = change;
  const names = new Set(old.names);
  let wildcard = old.wildcard || (isFirst && subscribe.length === 0 && unsubscribe.length === 0);
  for (const name of unsubscribe) {
    if (name === '*') wildcard = false;
    else names.delete(name);
  }
  for (const name of subscribe) {
    if (name === '*') wildcard = true;
    else names.add(name);
  }
  return { wildcard, names, everNamed: old.everNamed || subscribe.length > 0 || unsubscribe.length > 0 };
}
