import type { Subscription } from './xds-channel';

/** Nothing is asked anew where nothing changes. */
export function isSameSubscription(a: Subscription, b: Subscription): boolean {
  return a.wildcard === b.wildcard && a.names.size === b.names.size && !hasGained(a, b);
}

/** Is something wanted that was not? */
export function hasGained(before: Subscription, after: Subscription): boolean {
  if (before.wildcard) return false;
  if (after.wildcard) return true;
  for (const name of after.names) if (!before.names.has(name)) return true;
  return false;
}
