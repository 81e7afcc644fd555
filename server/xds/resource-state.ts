import type { ResourceKey, ResourceState } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';

/** The life of one resource in our cache: each function is one transition. */

/** Asked for, nothing heard yet. */
export function requested({ typeUrl, name }: ResourceKey, at: EpochMs): ResourceState {
  return {
    typeUrl,
    name,
    versionInfo: '',
    clientStatus: 'REQUESTED',
    configStatus: 'UNKNOWN',
    lastUpdated: null,
    errorState: null,
    hash: null,
    sizeBytes: null,
    isStatic: false,
    changedAt: at,
  };
}

export interface AcceptedBody {
  readonly versionInfo: string;
  readonly hash: string;
  readonly sizeBytes: number;
}

/** It came and decodes. */
export function accepted(key: ResourceKey, body: AcceptedBody, at: EpochMs): ResourceState {
  return { ...requested(key, at), ...body, clientStatus: 'ACKED', lastUpdated: at };
}

export interface Refusal {
  readonly reason: string;
  readonly versionInfo: string;
  readonly failedHash: string | null;
}

/** It came broken. gRFC A46: what was accepted before stays in use; so body and version stay the last good ones. */
export function refused(previous: ResourceState, refusal: Refusal, at: EpochMs): ResourceState {
  return {
    ...previous,
    clientStatus: 'NACKED',
    errorState: {
      details: refusal.reason,
      versionInfo: refusal.versionInfo,
      lastUpdateAttempt: at,
      failedHash: refusal.failedHash,
    },
    changedAt: at,
  };
}

/**
 * The server has no such resource: deleted (absent from a full answer), or never sent within the resource timer.
 * gRFC A53, before A88: what was cached is dropped with it.
 */
export function doesNotExist(key: ResourceKey, at: EpochMs): ResourceState {
  return { ...requested(key, at), clientStatus: 'DOES_NOT_EXIST' };
}
