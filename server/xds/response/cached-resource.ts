import type { ResourceKey, ResourceState } from '@/lib/observation/observation';

export interface CachedResource {
  readonly state: ResourceState;
  /**
   * SHA-256 of the bytes as they came, to compare the next ones with; null while nothing is in use. Of most resources it
   * is the hash of their body. It is never reported: bytes that came may hold secrets, of which a body has none.
   */
  readonly digest: string | null;
  /** Of the bytes as they came. */
  readonly wireBytes: number;
  /** What the resource in use refers to. */
  readonly follows: readonly ResourceKey[];
  /** Which server gave it, and under which version of its own (delta). */
  readonly server: string;
  readonly version: string;
}

/** One in use, that the same server may send again, which changes nothing. */
export type SettledResource = CachedResource & {
  readonly digest: string;
  readonly state: { readonly hash: string; readonly sizeBytes: number };
};

const nobody: readonly ResourceKey[] = [];

/** What there is beside the state of a row that has no body. */
export const nothingHeld = { digest: null, wireBytes: 0, follows: nobody, server: '', version: '' };

/**
 * One that was never heard of waits for its timer: the response may be older than the request. An error that the server
 * reported stands until there is news (TP3).
 */
export function provesNothing({ clientStatus }: ResourceState): boolean {
  return clientStatus === 'REQUESTED' || clientStatus === 'RECEIVED_ERROR';
}

/** Is it in use, undisputed, and the response's version not its own? */
export function isSettled(resource: CachedResource): resource is SettledResource {
  const { digest, state, version } = resource;
  if (digest === null || state.hash === null || state.sizeBytes === null) return false;
  return state.clientStatus === 'ACKED' && state.ambientError === undefined && version === '';
}

/** The server was not believed (ignore_resource_deletion): said once. */
export function isDeletionKnown({ ambientError, clientStatus }: ResourceState): boolean {
  return clientStatus === 'ACKED' && ambientError?.code === 'NOT_FOUND';
}
