import { findResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { ResponseEnvelope } from '../../xds/response/response-envelope';
import type { PassedResource } from './resource-reader';
import type { RowChanges } from './row-changes';
import type { TypeHoldings } from './type-holdings';

/** A response that the client has not answered. */
export interface PendingResponse {
  readonly receivedMs: number;
  readonly at: EpochMs;
  /** Its resources are marked as unanswered. */
  isMarked: boolean;
  readonly versionInfo: string;
  readonly isDelta: boolean;
  readonly resources: readonly PassedResource[];
  readonly removed: readonly string[];
}

/** State of the world: an answer is to all responses up to that of the nonce. Takes those before it out of `pending`. */
export function takeUntil(pending: Map<string, PendingResponse>, nonce: string): readonly PendingResponse[] {
  if (!pending.has(nonce)) return [];
  const taken: PendingResponse[] = [];
  for (const [key, response] of pending) {
    taken.push(response);
    if (key === nonce) break;
    pending.delete(key);
  }
  return taken;
}

/** Restores the resources of a response that was marked as unanswered. */
export function clearUnanswered(
  { isMarked, resources }: PendingResponse,
  held: TypeHoldings,
  at: EpochMs,
  changes: RowChanges,
): void {
  if (!isMarked) return;
  for (const { name } of resources) if (name !== null) held.clearUnanswered(name, at, changes);
}

/** Returns the names if they cannot be inferred; see ResponseReceived.names. */
export function namesToReport(
  { isDelta, typeUrl }: ResponseEnvelope,
  resources: readonly PassedResource[],
  rows: ReadonlyMap<string, { readonly hash: string | null }>,
  unchanged: number,
): readonly string[] | undefined {
  const names = resources.flatMap(({ name }) => (name === null ? [] : [name]));
  if (isDelta) return unchanged > 0 ? names : undefined;
  if (findResourceType(typeUrl)?.absenceDeletes === true) return undefined;
  const present = new Set(names);
  for (const [name, { hash }] of rows) if (hash !== null && !present.has(name)) return names;
  return undefined;
}
