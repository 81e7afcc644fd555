import { isAckOfRejected } from '@/lib/observation/effect-stage';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { EpochMs } from '@/lib/xds/units';
import { requested } from '../../xds/client/resource-state';

/** The hashes of the payloads of a response, by name. */
export type Payloads = ReadonlyMap<string, string>;

/** A NACK of one resource. */
export interface RejectedPayload {
  /** The NACK is about this payload, as opposed to a response that contained it beside an invalid one. */
  readonly isAtFault: boolean;
  /** The payloads of the rejected response that the client had not accepted before. */
  readonly payloads: Payloads;
}

/** The effect of a rejection on the resource, beside that its payload is not in effect. */
export interface RejectionEffect {
  /** See ErrorState. */
  readonly mayBeInEffect?: boolean;
  /** The client has deleted what it had accepted before. */
  readonly isDropped?: boolean;
  readonly rejected: RejectedPayload;
}

export interface Acceptance {
  readonly versionInfo: string;
  readonly at: EpochMs;
  /** The payloads of the accepted response. Absent: the client has rejected no resource of the type. */
  readonly payloads?: Payloads | undefined;
  /** The client rejects another part of the response, so that its version does not apply to the type. */
  readonly isOfRejected?: boolean;
  /** The version that a NACK contains as the accepted one. */
  readonly acceptedVersion?: string;
}

/**
 * True if the client had rejected the payload that it accepts now. If it is not known which payload of the rejected
 * response was at fault, each of them counts as long as all of them come again.
 */
export function isRejected(
  { clientStatus, hash, errorState }: ResourceState,
  { isAtFault, payloads }: RejectedPayload,
  accepted: { readonly hash: string; readonly payloads: Payloads },
): boolean {
  if (clientStatus !== 'NACKED' || hash === accepted.hash || errorState?.failedHash !== accepted.hash)
    return false;
  return isAtFault || [...payloads].every(([name, sent]) => accepted.payloads.get(name) === sent);
}

/**
 * The client ACKed a payload that it had rejected. What was in effect before may still be: Envoy skips a cluster that it
 * has from the rejected response.
 */
export function ackOfRejected(row: ResourceState, next: ResourceState): ResourceState {
  const { versionInfo, lastUpdated, hash, sizeBytes, errorState } = row;
  if (hash === null) return { ...next, errorState };
  return {
    ...next,
    errorState,
    otherVersions: [{ stage: 'active', versionInfo, lastUpdated, hash, sizeBytes }],
  };
}

/** Reverts ackOfRejected(). */
export function beforeAck(row: ResourceState): ResourceState {
  if (!isAckOfRejected(row)) return row;
  const { otherVersions, ...rest } = row;
  const { versionInfo, lastUpdated, hash, sizeBytes } = otherVersions?.[0] ?? requested(row, row.changedAt);
  return { ...rest, clientStatus: 'NACKED', versionInfo, lastUpdated, hash, sizeBytes };
}
