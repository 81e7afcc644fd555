import type { ResourceKey, ResourceState } from '@/lib/observation/resource-state';

export interface CachedResource {
  readonly state: ResourceState;
  /**
   * SHA-256 of the received bytes, to compare later ones with; null while no body is in effect. It usually equals the hash
   * of the body. It is never reported, because received bytes may contain secrets, which bodies do not.
   */
  readonly digest: string | null;
  readonly wireBytes: number;
  readonly follows: readonly ResourceKey[];
  /** The server that sent the resource, with the resource's own version (delta). */
  readonly server: string;
  readonly version: string;
}

/** A resource in effect that changes nothing if the same server sends the same bytes again. */
export type RepeatableResource = CachedResource & {
  readonly digest: string;
  readonly state: { readonly hash: string; readonly sizeBytes: number };
};

const noKeys: readonly ResourceKey[] = [];

export const nothingHeld = { digest: null, wireBytes: 0, follows: noKeys, server: '', version: '' };

/**
 * Returns whether absence from a response is not a deletion. An unknown resource waits for its timer, because the response
 * may be older than the request; a reported error lasts until the next update (TP3).
 */
export function ignoresAbsence({ clientStatus }: ResourceState): boolean {
  return clientStatus === 'REQUESTED' || clientStatus === 'RECEIVED_ERROR';
}

/** Returns whether the resource is accepted without errors and has no version of its own. */
export function isRepeatable(resource: CachedResource): resource is RepeatableResource {
  const { digest, state, version } = resource;
  if (digest === null || state.hash === null || state.sizeBytes === null) return false;
  return state.clientStatus === 'ACKED' && state.ambientError === undefined && version === '';
}

/** Returns whether an ignored deletion (ignore_resource_deletion) has already been reported. */
export function isDeletionKnown({ ambientError, clientStatus }: ResourceState): boolean {
  return clientStatus === 'ACKED' && ambientError?.code === 'NOT_FOUND';
}
