import { contentVersionOf } from '@/lib/observation/acked-version';
import type { ResourceState } from '@/lib/observation/resource-state';

/** True if the version of the type applies to the row, as in ackedVersionOf(). */
export function followsType({ clientStatus, hasOwnVersion }: ResourceState): boolean {
  return clientStatus === 'ACKED' && hasOwnVersion !== true;
}

/** Returns the same row if it has the version. Its content, and the time of its last change, remain. */
export function withOwnVersion(row: ResourceState, versionInfo: string): ResourceState {
  if (row.hasOwnVersion === true && row.versionInfo === versionInfo) return row;
  const { contentVersion: _, ...rest } = row;
  const contentVersion = contentVersionOf(row);
  return {
    ...rest,
    versionInfo,
    hasOwnVersion: true,
    ...(contentVersion !== versionInfo && { contentVersion }),
  };
}

/** Returns the same row if the version of the type applies to it. */
export function withTypeVersion(row: ResourceState): ResourceState {
  if (row.hasOwnVersion !== true) return row;
  const { contentVersion: _, hasOwnVersion: _own, ...rest } = row;
  return { ...rest, versionInfo: contentVersionOf(row) };
}
