import type { ResourceKey } from '@/lib/observation/resource-state';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';

export function clientHref(clientId: string, resource?: ResourceKey): string {
  const path = `/clients/${encodeURIComponent(clientId)}/resources`;
  return resource === undefined
    ? path
    : `${path}?resource=${encodeURIComponent(formatResourceRef(resource))}`;
}
