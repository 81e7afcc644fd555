import type { AnswerTarget } from './apply-answer';
import type { ObservedRequest } from './decode-request';
import type { PendingResponse } from './pending-responses';

/** The facts that a stream had sent about a type before messages were missed. */
export interface MissedMessages {
  /** The nonce of the newest answer; null if a later response was not answered. */
  readonly nonce: string | null;
  /** The version in the newest request. */
  readonly versionInfo: string;
}

/**
 * Applies what a request that answers no recorded response shows of those that were missed. In state of the world its nonce,
 * and with REST its version, are of the last response that the client has processed. A poll of REST then shows that nothing has
 * changed; on a stream, the client may have unsubscribed from a resource meanwhile, and request it again. MUTATES `target`.
 */
export function applyMissed(
  missed: MissedMessages,
  { responseNonce, versionInfo }: ObservedRequest,
  {
    holdings,
    wants,
    at,
    changes,
    isDelta,
    isPolled,
  }: AnswerTarget & { readonly isDelta: boolean; readonly isPolled: boolean },
): void {
  if (isPolled && versionInfo === missed.versionInfo) holdings.restoreMissed(wants, at, changes);
  else if (isPolled || (responseNonce !== '' && (isDelta || responseNonce !== missed.nonce)))
    holdings.markMissed(wants, at, changes);
}

/**
 * Applies that the client had subscribed to these names before the response, which carries them and which it answers now.
 * MUTATES `target`.
 */
export function applyMissedRequests(
  { resources }: PendingResponse,
  added: readonly string[],
  { holdings, at, changes }: AnswerTarget,
): void {
  const sent = new Set(resources.map(({ name }) => name));
  for (const name of added) if (sent.has(name)) holdings.addMissed(name, at, changes);
}
