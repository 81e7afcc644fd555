import type { ResourceKey } from '@/lib/observation/observation';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';

/** The page where a client's resources are reported, with the inspector open where one of them is meant. */
export function clientHref(clientId: string, resource?: ResourceKey): string {
  const path = `/clients/${encodeURIComponent(clientId)}/resources`;
  return resource === undefined
    ? path
    : `${path}?resource=${encodeURIComponent(formatResourceRef(resource))}`;
}
