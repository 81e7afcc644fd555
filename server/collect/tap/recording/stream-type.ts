import type { MissedMessages } from './missed-messages';
import type { PendingResponse } from './pending-responses';
import type { Subscription } from './read-subscription';

interface ReportedNack {
  readonly nonce: string;
  readonly versionInfo: string;
  readonly names: readonly string[];
}

/** One type of resources on one stream. */
export interface StreamType extends Subscription {
  /** The unanswered responses by nonce, the oldest first. */
  readonly pending: Map<string, PendingResponse>;
  /** The last NACK. Clients repeat it when they change their subscription, until the next response. */
  nacked: ReportedNack | null;
  /** The nonce of the newest answer. */
  answeredNonce: string | null;
  /** The version in the newest request. */
  versionInfo: string;
  /** Null if none was missed, or if the client has answered a later response. */
  missed: MissedMessages | null;
  requestedMs: number | null;
}

/** `isLate`: earlier messages of the stream were not recorded. */
export function newStreamType(isLate: boolean): StreamType {
  return {
    ...{ wants: { wildcard: false, names: new Set<string>() }, hasNamed: false, isKnown: false },
    ...{ pending: new Map(), nacked: null, answeredNonce: null, requestedMs: null, versionInfo: '' },
    missed: isLate ? { nonce: null, versionInfo: '' } : null,
  };
}
