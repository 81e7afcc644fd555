import type { ClientStatus, ConfigStatus } from '../xds/status';
import type { EpochMs } from '../xds/units';
import type { Nonces, Side, Stage } from './observation';

/**
 * One resource of one client: what the client reports, and beside it what the control plane reports. Fields that
 * ResourceState has mean the same here. `Time`: EpochMs, or ISO 8601 text where the row is JSON of the HTTP API.
 */
export interface RowOf<Time> {
  readonly typeUrl: string;
  /** As in "CDS". */
  readonly service: string;
  readonly name: string;
  readonly versionInfo: string;
  readonly clientStatus: ClientStatus;
  readonly configStatus: ConfigStatus;
  readonly lastUpdated: Time | null;
  readonly errorState: {
    readonly details: string;
    readonly versionInfo: string;
    readonly lastUpdateAttempt: Time | null;
    readonly failedHash: string | null;
  } | null;
  readonly hash: string | null;
  readonly sizeBytes: number | null;
  readonly isStatic: boolean;
  readonly ambientError?:
    | { readonly code: string; readonly details: string; readonly since: Time }
    | undefined;
  readonly apiVersion?: 'v2' | undefined;
  readonly canonicalName?: string | undefined;
  readonly stage?: Stage | undefined;
  readonly nonces?: Nonces | undefined;
  readonly otherVersions?:
    | readonly {
        readonly stage: Stage;
        readonly versionInfo: string;
        readonly lastUpdated: Time | null;
        readonly hash: string | null;
        readonly sizeBytes: number | null;
      }[]
    | undefined;
  readonly changedAt: Time;
  readonly sourceId: string;
  readonly side: Side;
  /** Set if a control plane reports the resource beside the client. */
  readonly controlPlane: {
    readonly sourceId: string;
    readonly versionInfo: string;
    readonly hash: string | null;
    readonly changedAt: Time;
  } | null;
}

export type ResourceRow = RowOf<EpochMs>;
