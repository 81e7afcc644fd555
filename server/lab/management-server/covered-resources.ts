import type { ResourceView, ServedError, StoredResource } from './snapshot-store';
import type { Subscription } from './subscription';

/** In the order of the view for a wildcard, of the request for names. */
export function coveredBy(subscription: Subscription, view: ResourceView): StoredResource[] {
  if (subscription.wildcard) return [...view.resources.values()];
  return [...subscription.names].flatMap((name) => view.resources.get(name) ?? []);
}

/** The same with aliases, which only delta knows; a resource that is asked for by two names is there once. */
export function coveredByAlias(subscription: Subscription, view: ResourceView): StoredResource[] {
  if (subscription.wildcard) return [...view.resources.values()];
  return [...new Set([...subscription.names].flatMap((name) => findServed(view, name) ?? []))];
}

/** By its name, or one of its aliases. */
export function findServed(view: ResourceView, name: string): StoredResource | undefined {
  const found = view.resources.get(name);
  if (found !== undefined) return found;
  for (const resource of view.resources.values()) if (resource.aliases?.includes(name)) return resource;
  return undefined;
}

/** Errors that were not reported yet. Only of names that were asked for: xDS says nothing of errors under a wildcard. */
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
