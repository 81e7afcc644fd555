import type { ClientStatus, ConfigStatus, State } from '../xds/status';
import type { EpochMs } from '../xds/units';
import type { EffectStage } from './effect-stage';
import type { Side } from './observation';
import type { Doubt, ResourceKey, Stage } from './resource-state';

/**
 * One resource of one client: what the client reports, and beside it what the control plane reports. Fields that
 * ResourceState has mean the same here. `Time`: EpochMs, or ISO 8601 text where the row is JSON of the HTTP API.
 */
export interface RowOf<Time> {
  readonly typeUrl: string;
  /** As in "CDS". */
  readonly service: string;
  readonly name: string;
  /** The version that the client ACKed last, or the last one that it accepted. */
  readonly versionInfo: string;
  /** The version with which the content came, if it was sent again unchanged. Absent: versionInfo. */
  readonly contentVersion?: string | undefined;
  /**
   * The worst of the answer and of what is in effect. UNKNOWN if the client does not report the resource; null for a
   * document that a process reports about itself.
   */
  readonly state: State | null;
  readonly clientStatus: ClientStatus;
  readonly configStatus: ConfigStatus;
  readonly lastUpdated: Time | null;
  readonly errorState: {
    readonly details: string;
    readonly versionInfo: string;
    readonly lastUpdateAttempt: Time | null;
    readonly failedHash: string | null;
    readonly statistic?: string | undefined;
    readonly successes?: number | undefined;
    readonly mayBeInEffect?: true | undefined;
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
  readonly unanswered?:
    | { readonly versionInfo: string; readonly at: Time; readonly hash: string | null }
    | undefined;
  readonly doubt?: Doubt | undefined;
  readonly otherVersions?:
    | readonly {
        readonly stage: Stage;
        readonly versionInfo: string;
        readonly lastUpdated: Time | null;
        readonly hash: string | null;
        readonly sizeBytes: number | null;
      }[]
    | undefined;
  readonly waitsFor?: readonly ResourceKey[] | undefined;
  readonly changedAt: Time;
  readonly sourceId: string;
  readonly side: Side;
  /** What the client answered to the newest response that carried the resource; null: none did, or it is not known. */
  readonly answer: AnswerOf<Time> | null;
  /** What the client runs; null: nothing, or it is not known. */
  readonly effect: EffectOf<Time> | null;
  /** Absent: the client answered no response, or the source of its answer does not know the server. */
  readonly delivery?: Delivery | undefined;
  /** Set if a control plane reports the resource beside the client. */
  readonly controlPlane: {
    readonly sourceId: string;
    readonly versionInfo: string;
    readonly hash: string | null;
    readonly changedAt: Time;
  } | null;
}

export interface AnswerOf<Time> {
  readonly status: 'ACKED' | 'NACKED' | 'NO_ANSWER';
  /** The version in the response; empty if it is not reported. */
  readonly versionInfo: string;
  /** The time of the answer; of NO_ANSWER: of the response. */
  readonly at: Time | null;
  readonly sourceId: string;
}

/** Where the newest answered response came from. */
export interface Delivery {
  /** gRFC A47: null for old-style names. */
  readonly authority: string | null;
  /**
   * The address of the management server. Of a probe whose bootstrap has several for the authority: all, the most
   * preferred first; its history states which one is in use.
   */
  readonly servers: readonly string[];
}

/** How it is known what a client runs. `ack`: a client runs what it ACKed last, which a tap or probe concludes. */
export const evidences = ['config_dump', 'csds', 'ack'] as const;

export interface EffectOf<Time> {
  readonly stage: EffectStage;
  readonly versionInfo: string;
  /** Body, after redaction; null if it is not reported. */
  readonly hash: string | null;
  readonly since: Time | null;
  readonly evidence: (typeof evidences)[number];
  readonly sourceId: string;
}

export type ResourceRow = RowOf<EpochMs>;
