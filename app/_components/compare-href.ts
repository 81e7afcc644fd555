import type { ResourceKey } from '@/lib/observation/resource-state';
import { type DiffAddress, formatDiffAddress } from '@/lib/views/compare/diff-address';
import { formatResourceRef } from '@/lib/views/resources/resource-ref';

/** The comparison of two sides, optionally of one resource. `right` null: not chosen yet. */
export function compareHref(left: DiffAddress, right: DiffAddress | null, resource?: ResourceKey): string {
  const search = new URLSearchParams({ left: formatDiffAddress(left) });
  if (right !== null) search.set('right', formatDiffAddress(right));
  if (resource !== undefined) search.set('resource', formatResourceRef(resource));
  return `/compare?${search}`;
}
