import { isCollection } from '@/lib/xds/resource-name';
import type { ResourceView, ServedError, StoredResource } from './snapshot-store';
import { covers, type Subscription } from './subscription';

/** The order is that of the view for a wildcard, and that of the request for names. */
export function coveredBy(subscription: Subscription, view: ResourceView): StoredResource[] {
  if (subscription.wildcard) return [...view.resources.values()];
  return [...subscription.names].flatMap((name) => view.resources.get(name) ?? []);
}

/**
 * Includes aliases and collections, which only delta supports. A resource that is requested by two names is in the list once.
 */
export function coveredInDelta(
  typeUrl: string,
  subscription: Subscription,
  view: ResourceView,
): StoredResource[] {
  if (subscription.wildcard) return [...view.resources.values()];
  const names = [...subscription.names];
  const named = names.flatMap((name) => findServed(view, name) ?? []);
  const ofCollections = names.some((name) => isCollection(typeUrl, name))
    ? [...view.resources.values()].filter(({ name }) => covers(subscription, typeUrl, name))
    : [];
  return [...new Set([...named, ...ofCollections])];
}

/** Finds a resource by its name or one of its aliases. */
export function findServed(view: ResourceView, name: string): StoredResource | undefined {
  const found = view.resources.get(name);
  if (found !== undefined) return found;
  for (const resource of view.resources.values()) if (resource.aliases?.includes(name)) return resource;
  return undefined;
}

/** Returns unreported errors of names in the subscription; xDS defines no errors under a wildcard. */
export function freshErrors(
  { names }: Subscription,
  view: ResourceView,
  reported: ReadonlyMap<string, ServedError>,
): ServedError[] {
  if (view.errors.size === 0) return [];
  return [...names].flatMap((name) => {
    const error = view.errors.get(name);
    return error === undefined || error === reported.get(name) ? [] : [error];
  });
}
