import type { Vantage } from '../observation/vantage';
import type { EpochMs } from '../xds/units';

/**
 * The kind of fact that an observation reports of a client and a resource, or of a message of a type.
 *
 * - asked: the client requested the resource.
 * - sent: the resource was observed on a stream to the client, or the control plane reports that it sent it.
 * - accepted, rejected: the client reports it.
 * - unclear: the resource was in a response that the client accepted in part.
 * - missing: the client reports that it does not have the resource.
 * - dropped: the client unsubscribed from the resource, or does not hold it any longer.
 * - gone, back: the client's stream ended, or its source does not report it any longer; the client is reported again.
 */
export type FactKind =
  | 'asked'
  | 'sent'
  | 'accepted'
  | 'rejected'
  | 'unclear'
  | 'missing'
  | 'dropped'
  | 'gone'
  | 'back';

export interface ConvergenceFact {
  readonly what: FactKind;
  readonly at: EpochMs;
  /**
   * The time of the previous poll, if a poll reported the fact, which happened between it and `at`; null if there was no
   * previous poll. Absent if the fact was observed when it happened.
   */
  readonly after?: EpochMs | null;
  /** The position in the log; 0 for facts that are not from the log. */
  readonly seq: number;
  readonly clientId: string;
  readonly sourceId: string;
  /** The vantage of the observation in the process that made it. */
  readonly vantage: Vantage;
  /** A control plane reports what it sent to the client. */
  readonly isFromControlPlane: boolean;
  /** Empty for gone and back. */
  readonly typeUrl: string;
  /** null for the whole message. */
  readonly name: string | null;
  readonly version: string;
  readonly hash: string | null;
  /**
   * True if an accepted resource is in effect as reported; false if that is in doubt, or the client is not ready for
   * it.
   */
  readonly isInEffect: boolean;
  /** The sender; null if it is not reported. */
  readonly server: string | null;
  /** The server's address; null if the source is declared without one. */
  readonly address: string | null;
  /** Matches an ACK or NACK with its response; null without a message. */
  readonly nonceKey: string | null;
  /** error_detail, or the reason of `gone`. */
  readonly text: string;
}

/**
 * Returns true if a client reports content without a version. Envoy does so for endpoints, which it writes from the
 * state that it holds of them. If the resource has versions, no server sent such content.
 */
export function isOwnRendering(fact: Pick<ConvergenceFact, 'after' | 'version'>): boolean {
  return fact.version === '' && isPolled(fact);
}

/** Returns true if a poll reported the fact, so that its time is a range. */
export function isPolled({ after }: Pick<ConvergenceFact, 'after'>): boolean {
  return after !== undefined;
}
