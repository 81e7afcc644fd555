import type { EpochMs } from '@/lib/xds/units';
import type { Payloads, RejectedPayload } from './rejected-payload';
import type { PassedResource } from './resource-reader';

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
  /** The version that a NACK contains as the accepted one. */
  readonly acceptedVersion?: string;
}

/** A response, or the part of it that the client accepts. */
export interface AcceptedResponse {
  readonly versionInfo: string;
  readonly isDelta: boolean;
  readonly resources: readonly PassedResource[];
}
