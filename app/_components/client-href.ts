import type { ResourceKey } from '@/lib/observation/observation';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';

export function clientHref(clientId: string, resource?: ResourceKey): string {
  const path = `/clients/${encodeURIComponent(clientId)}/resources`;
  return resource === undefined
    ? path
    : `${path}?resource=${encodeURIComponent(formatResourceRef(resource))}`;
}
