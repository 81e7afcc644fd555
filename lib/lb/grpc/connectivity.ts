export type Connectivity = 'IDLE' | 'CONNECTING' | 'READY' | 'TRANSIENT_FAILURE';

/** Endpoints of one child by the state of their connections; who is not used is in none. */
export interface ConnectionCounts {
  readonly ready: number;
  readonly connecting: number;
  readonly failed: number;
}

/**
 * What a child reports of its endpoints. weighted_target and round_robin: the best that any of them is; pick_first
 * tries them all before it fails. ring_hash (section 5.4) fails with two, since it tries only whom requests want.
 */
export function aggregateState(
  { ready, connecting, failed }: ConnectionCounts,
  policy: 'ring_hash' | 'any',
): Connectivity {
  if (ready > 0) return 'READY';
  if (policy === 'ring_hash' && failed >= 2) return 'TRANSIENT_FAILURE';
  return connecting > 0 ? 'CONNECTING' : 'TRANSIENT_FAILURE';
}
