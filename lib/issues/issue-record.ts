import type { Side } from '../observation/observation';
import type { ResourceKey } from '../observation/resource-state';
import type { EpochMs } from '../xds/units';
import type { ClientImpact } from './client-impact';

/**
 * nack: the client rejected a payload. absent: the resource does not exist (DOES_NOT_EXIST), or the resource timer expired
 * (TIMEOUT). received-error: the server reported an error instead of the resource (gRFC A88). unanswered: a control plane
 * reports that it sent resources of a type and has no answer (STALE). unreached: the client has requested resources of a type,
 * and no response has carried them. unreachable: the client, or a proxy before it, reports that it cannot connect to the
 * management server. tear: resources in use do not fit together (gRFC A74).
 * finding: the client accepted a resource that ends its process, or with which it does not serve. notice: the client shows a
 * known bug of its release. unserved: the config in effect lets every request to a listener or cluster fail. certificate: a
 * certificate has expired, or was due to be renewed.
 */
const reportedIssueKinds = [
  'nack',
  'absent',
  'received-error',
  'unanswered',
  'unreached',
  'unreachable',
] as const;
export const clientIssueKinds = [
  ...reportedIssueKinds,
  'tear',
  'finding',
  'notice',
  'unserved',
  'certificate',
] as const;
export type ClientIssueKind = (typeof clientIssueKinds)[number];

/** The cause that clients have in common whose issues are one issue. */
export interface IssueCause extends ResourceKey {
  readonly kind: ClientIssueKind;
  /** The side that reports it. */
  readonly side: Side;
  /** The error text; of a tear, a finding or a notice, what it means. Empty if there is none. */
  readonly text: string;
  /**
   * The kind of a tear, the rule of a finding, the ID of the bug of a notice, the chain or reason of what is unserved, or that a
   * server is not known to be a management server.
   */
  readonly rule?: string;
  /** The resource whose state lets the listener or cluster serve nothing; absent if it is its own. */
  readonly explainedBy?: ResourceKey;
  /** Set for an unreachable server of clients of a tap: the addresses of the tap. */
  readonly through?: readonly string[];
  /** Set for `certificate`: the certificate of the first client that has the issue. */
  readonly certificate?: CertificateOfIssue;
  /** Set for `absent` if the resource timer expired without a response (gRFC A88). */
  readonly isTimeout?: true;
}

export interface CertificateOfIssue {
  readonly isExpired: boolean;
  /** `chain`: presented to peers; `ca`: peers are verified against it. */
  readonly role: 'chain' | 'ca';
  /** The file, or Envoy's text for inline config; empty: not reported. */
  readonly path: string;
  /** What it is issued for, and its serial number, as far as they are reported. */
  readonly names: readonly string[];
  readonly serialNumber: string;
  readonly expiresAt: EpochMs;
  /** The file was captured at this time, by which the certificate is judged; absent: a source reports it now. */
  readonly capturedAt?: EpochMs | undefined;
}

/** One that a source reports of a resource, as opposed to one that follows from the config as a whole. */
export type ReportedCause = IssueCause & { readonly kind: (typeof reportedIssueKinds)[number] };

/**
 * The way in which the issue of one client ended. `gone`: no source reports the client any more, so that nothing
 * shows a repair.
 */
export const issueEnds = ['repaired', 'removed', 'gone'] as const;
export type IssueEnd = (typeof issueEnds)[number];
/** States how an issue ended whose last client is gone. */
export const endedText = 'No source reports the client any more: whether the cause was repaired is not known';

/** The time in which one client had an issue. MUTABLE: IssueIndex updates it. */
export interface IssuePeriod {
  readonly clientId: string;
  from: EpochMs;
  /** undefined: it has not ended. */
  to: EpochMs | undefined;
  end: IssueEnd | undefined;
  /** The observation that reported it first, and the one that ended it; null: it follows from several. */
  readonly fromSeq: number | null;
  toSeq: number | null;
  /** The version that was rejected, or of the response after which the resource did not exist. Empty: not reported. */
  versionInfo: string;
  /** True if an accepted payload stays in effect; null: not reported. */
  keepsAccepted: boolean | null;
  /** True if a document reported it, as a config dump: nothing that is reported later shows how long it lasted. */
  readonly isOfDocument?: true;
  /** The number of resources that have it. */
  resources: number;
  /** The name of the only management server of a client of a tap, which is the tap: as behind a Service with another port. */
  readonly serverName?: string | undefined;
  /** The impact, if it is known with the issue; absent: it follows from the effective config. */
  readonly impact?: ClientImpact;
}

/** One cause over all clients. MUTABLE: IssueIndex updates it. */
export interface IssueRecord<Cause extends IssueCause = IssueCause> {
  /** Derived from the cause, and therefore equal in every process. */
  readonly id: string;
  /** The text of an unreachable management server is the newest error. */
  cause: Cause;
  /** The open periods by client ID. */
  readonly open: Map<string, IssuePeriod>;
  /** Periods that ended, oldest first. */
  readonly ended: IssuePeriod[];
}
