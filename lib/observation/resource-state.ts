import type { ClientStatus, ConfigStatus } from '../xds/status';
import type { EpochMs } from '../xds/units';

/** envoy.admin.v3.UpdateFailureState. */
export interface ErrorState {
  readonly details: string;
  /** The rejected version. Empty if the client does not report it. */
  readonly versionInfo: string;
  readonly lastUpdateAttempt: EpochMs | null;
  /** The rejected body; null if it is not reported. */
  readonly failedHash: string | null;
  /**
   * Set only if the source reports no details: the statistic of Envoy that shows the rejection, as in
   * "http.ingress.rds.routes.update_rejected".
   */
  readonly statistic?: string;
  /** Set with `statistic`: how often the same subscription was successful before, by which a later poll finds whether it was since. */
  readonly successes?: number;
  /**
   * Set by a tap if the client has applied a part of the rejected response that is not known: this resource may be in
   * effect as it was sent. Absent: it is not.
   */
  readonly mayBeInEffect?: true;
}

/** gRFC A88: an error of a resource that stays in use. Absent after the next valid update. */
export interface AmbientError {
  /** gRPC status code name, as in "NOT_FOUND". */
  readonly code: string;
  readonly details: string;
  readonly since: EpochMs;
}

/** Nonces that a control plane reports for a whole type. Empty: nothing was sent, or acknowledged. */
export interface Nonces {
  readonly sent: string;
  readonly acked: string;
}

/** Envoy warms a listener, cluster or secret before use, and drains an old listener. */
export type Stage = 'active' | 'warming' | 'draining';

export interface HeldVersion {
  readonly stage: Stage;
  readonly versionInfo: string;
  readonly lastUpdated: EpochMs | null;
  readonly hash: string | null;
  readonly sizeBytes: number | null;
}

/**
 * Why the answers of a client do not prove what it runs. `deleted`, `rejected`: a setting of its bootstrap decides whether
 * it keeps the accepted payload. `added-again`: it is not known to use a resource that was deleted and added again.
 * `replaced`: the payload replaced another one, which is used until the client has what the new one depends on.
 * `without-endpoints`: the cluster of these endpoints changed, and a response with endpoints was rejected before it had any.
 * `not-recorded`: messages were not recorded, and none since then shows what the client answered, or what it accepted last.
 */
export const doubts = [
  ...(['deleted', 'rejected', 'added-again', 'replaced', 'without-endpoints', 'not-recorded'] as const),
] as const;
export type Doubt = (typeof doubts)[number];

/** A response that carried a resource and that the client has not answered. */
export interface UnansweredResponse {
  readonly versionInfo: string;
  readonly at: EpochMs;
  /** Body of the resource in the response; null if it is not known. */
  readonly hash: string | null;
}

/** One resource as one vantage sees it. null is "not reported", never zero. */
export interface ResourceState {
  readonly typeUrl: string;
  readonly name: string;
  /** The version that the client ACKed last, unless ackedVersionOf() has a newer one of the type. */
  readonly versionInfo: string;
  /** The version with which the content came. Absent: `versionInfo`. */
  readonly contentVersion?: string;
  /** The version is of the resource, not of the type: the type's version does not apply. */
  readonly hasOwnVersion?: true;
  readonly clientStatus: ClientStatus;
  readonly configStatus: ConfigStatus;
  /** Time of the last change as the source reports it; null for "never" (unset, zero and year 1 included). */
  readonly lastUpdated: EpochMs | null;
  readonly errorState: ErrorState | null;
  /** SHA-256 (hex) of the body's bytes as stored, after redaction; null when no body was reported. */
  readonly hash: string | null;
  readonly sizeBytes: number | null;
  readonly isStatic: boolean;
  /** Absent: none is known. */
  readonly ambientError?: AmbientError;
  /** Set if the resource came in the v2 API (`envoy.api.v2.*`). Absent: v3. */
  readonly apiVersion?: 'v2';
  /** The name in the response if `name` is an alias that was requested (xDS: Resource.aliases). */
  readonly canonicalName?: string;
  /**
   * Set on every resource in a config dump of Envoy, where `clientStatus` is inferred: a dump reports no answers except
   * rejected listeners. Absent: the source reports no stages.
   */
  readonly stage?: Stage;
  /**
   * Set only by a tap, with the client status UNKNOWN: the other fields are of what the client answered last. Absent: the
   * client answered the newest response that carried the resource, or none did.
   */
  readonly unanswered?: UnansweredResponse;
  /** Set only by a tap. Absent: the answers show what the client runs. */
  readonly doubt?: Doubt;
  /** Set only on whole-type rows (empty name). Absent if the control plane does not report nonces. */
  readonly nonces?: Nonces;
  /** Set only by Envoy. Absent: there is none. */
  readonly otherVersions?: readonly HeldVersion[];
  /** Set only by Envoy, on a resource with a version that warms. Absent: it is not reported what it waits for. */
  readonly waitsFor?: readonly ResourceKey[];
  /** When xdscope saw this state first. */
  readonly changedAt: EpochMs;
}

export interface ResourceKey {
  readonly typeUrl: string;
  readonly name: string;
}

/** The version that a client ACKed last for all resources of a type that have no version of their own. */
export interface TypeVersion {
  readonly typeUrl: string;
  readonly versionInfo: string;
}

/** The changes of one report. Rows that are not named are unchanged. */
export interface ResourceChanges {
  readonly changed: readonly ResourceState[];
  readonly removed: readonly ResourceKey[];
  /** The types whose version changed: one entry stands for any number of rows. Absent: none. */
  readonly typeVersions?: readonly TypeVersion[];
}
