import type { EpochMs } from '@/lib/xds/units';
import type { Payloads, RejectedPayload } from './ack-of-rejected';
import type { PassedResource } from './resource-reader';

/** What a rejection means for the resource, beside that its payload is not in effect. */
export interface RejectionEffect {
  /** As in ErrorState. */
  readonly mayBeInEffect?: boolean;
  /** The client has deleted what it had accepted before. */
  readonly isDropped?: boolean;
  readonly rejected: RejectedPayload;
}

export interface Acceptance {
  readonly versionInfo: string;
  readonly at: EpochMs;
  /** Of the accepted response. Absent: the client has rejected no resource of the type. */
  readonly payloads?: Payloads | undefined;
  /** Of a NACK: the version that it contains as the accepted one. */
  readonly acceptedVersion?: string;
}

/** A response, or the part of it that the client accepts. */
export interface AcceptedResponse {
  readonly versionInfo: string;
  readonly isDelta: boolean;
  readonly resources: readonly PassedResource[];
}
