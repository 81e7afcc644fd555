import type { ResourceState } from '@/lib/observation/observation';

export interface CachedResource {
  readonly state: ResourceState;
  /** As they came, to compare with the next ones; null while nothing is in use. */
  readonly bytes: Uint8Array | null;
  /** Which server gave it, and under which version of its own (delta). */
  readonly server: string;
  readonly version: string;
}

/** What there is beside the state of a row that has no body. */
export const nothingHeld = { bytes: null, server: '', version: '' };

/**
 * One that was never heard of waits for its timer: the response may be older than the request. An error that the server
 * told stands until there is news (TP3).
 */
export function provesNothing({ clientStatus }: ResourceState): boolean {
  return clientStatus === 'REQUESTED' || clientStatus === 'RECEIVED_ERROR';
}

/** The server was not believed (ignore_resource_deletion): said once. */
export function isDeletionKnown({ ambientError, clientStatus }: ResourceState): boolean {
  return clientStatus === 'ACKED' && ambientError?.code === 'NOT_FOUND';
}
