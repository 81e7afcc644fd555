import type { ResourceKey } from '@/lib/observation/resource-state';

export function nackHref(groupId: string): string {
  return `/nacks/${encodeURIComponent(groupId)}`;
}

export function nacksHref(clientId: string, resource?: ResourceKey): string {
  const query = new URLSearchParams({ client: clientId });
  if (resource !== undefined) {
    query.set('type', resource.typeUrl);
    query.set('resource', resource.name);
  }
  return `/nacks?${query}`;
}
