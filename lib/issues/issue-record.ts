import type { Side } from '../observation/observation';
import type { ResourceKey } from '../observation/resource-state';
import type { EpochMs } from '../xds/units';

/**
 * nack: the client rejected a payload. absent: the resource does not exist (DOES_NOT_EXIST), or the resource timer expired
 * (TIMEOUT). received-error: the server reported an error instead of the resource (gRFC A88). unanswered: a control plane
 * reports that it sent resources of a type and has no answer (STALE). unreached: the client reports a resource of which it
 * knows nothing, since it has not reached its management server.
 */
export const clientIssueKinds = ['nack', 'absent', 'received-error', 'unanswered', 'unreached'] as const;
export type ClientIssueKind = (typeof clientIssueKinds)[number];

/** What clients have in common whose issues are one issue. */
export interface IssueCause extends ResourceKey {
  readonly kind: ClientIssueKind;
  /** Which side reports it. */
  readonly side: Side;
  /** The error text; empty if there is none. */
  readonly text: string;
  /** Of `absent`: the resource timer expired without a response (gRFC A88). */
  readonly isTimeout?: true;
}

/** How the issue of one client ended. `gone`: no source reports the client any more, so that nothing shows a repair. */
export type IssueEnd = 'repaired' | 'removed' | 'gone';

/** The time in which one client had an issue. MUTABLE: IssueIndex updates it. */
export interface IssuePeriod {
  readonly clientId: string;
  from: EpochMs;
  /** null: it has not ended. */
  to: EpochMs | null;
  end: IssueEnd | null;
  /** The observation that reported it first, and the one that ended it. */
  readonly fromSeq: number;
  toSeq: number | null;
  /** The version that was rejected, or of the response after which the resource did not exist. Empty: not reported. */
  versionInfo: string;
  /** Whether an accepted payload stays in effect; null: not reported. */
  keepsAccepted: boolean | null;
  /** The number of resources that have it. */
  resources: number;
}

/** One cause over all clients. MUTABLE: IssueIndex updates it. */
export interface IssueRecord {
  /** Derived from the cause, and therefore equal in every process. */
  readonly id: string;
  readonly cause: IssueCause;
  /** By client id. */
  readonly open: Map<string, IssuePeriod>;
  /** Periods that ended, oldest first. */
  readonly ended: IssuePeriod[];
}
