import type { ResourceKey } from '@/lib/observation/resource-state';
import { formatResourceRef } from '@/lib/views/resources/resource-ref';

/** The resources of a client, with one of them in the inspector. */
export function clientHref(clientId: string, resource?: ResourceKey): string {
  return tabHref(clientId, 'resources', resource);
}

/** The graph of a client with a resource selected, which lights what refers to it. */
export function graphHref(clientId: string, resource: ResourceKey): string {
  return tabHref(clientId, 'graph', resource);
}

function tabHref(clientId: string, tab: 'resources' | 'graph', resource: ResourceKey | undefined): string {
  const path = `/clients/${encodeURIComponent(clientId)}/${tab}`;
  return resource === undefined
    ? path
    : `${path}?resource=${encodeURIComponent(formatResourceRef(resource))}`;
}
