export type Connectivity = 'IDLE' | 'CONNECTING' | 'READY' | 'TRANSIENT_FAILURE';

/** Numbers of endpoints of one child by connectivity state. Unused endpoints are not counted. */
export interface ConnectionCounts {
  readonly ready: number;
  readonly connecting: number;
  readonly failed: number;
}

/**
 * The connectivity state that a child reports. weighted_target and round_robin report the best state of any endpoint;
 * pick_first tries all endpoints before it fails. ring_hash (section 5.4) fails after two failures, because it
 * connects only to endpoints that requests hash to.
 */
export function aggregateState(
  { ready, connecting, failed }: ConnectionCounts,
  policy: 'ring_hash' | 'any',
): Connectivity {
  if (ready > 0) return 'READY';
  if (policy === 'ring_hash' && failed >= 2) return 'TRANSIENT_FAILURE';
  return connecting > 0 ? 'CONNECTING' : 'TRANSIENT_FAILURE';
}
