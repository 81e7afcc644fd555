import type { ResourceKey } from '@/lib/observation/resource-state';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { type DiffAddress, formatDiffAddress } from '@/lib/view-model/compare/diff-address';

/** The comparison of two sides, optionally of one resource. `right` null: not chosen yet. */
export function compareHref(left: DiffAddress, right: DiffAddress | null, resource?: ResourceKey): string {
  const search = new URLSearchParams({ left: formatDiffAddress(left) });
  if (right !== null) search.set('right', formatDiffAddress(right));
  if (resource !== undefined) search.set('resource', formatResourceRef(resource));
  return `/compare?${search}`;
}
