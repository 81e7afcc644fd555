import type { ResourceKey } from '@/lib/observation/observation';

/** The page of one group of NACKs. */
export function nackHref(groupId: string): string {
  return `/nacks/${encodeURIComponent(groupId)}`;
}

/** All NACKs of a client, or of one resource of it. */
export function nacksHref(clientId: string, resource?: ResourceKey): string {
  const query = new URLSearchParams({ client: clientId });
  if (resource !== undefined) {
    query.set('type', resource.typeUrl);
    query.set('resource', resource.name);
  }
  return `/nacks?${query}`;
}
