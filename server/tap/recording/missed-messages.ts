import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import type { AnswerTarget } from './apply-answer';
import type { ObservedRequest } from './decode-request';

/** What a stream had sent of a type before messages were missed. */
export interface MissedMessages {
  /** Of the newest answer; null if a later response was not answered. */
  readonly nonce: string | null;
  /** In the newest request. */
  readonly versionInfo: string;
}

/**
 * Applies what a request that answers no recorded response shows of those that were missed. In state of the world its nonce,
 * and with REST its version, are of the last response that the client has processed. MUTATES `target`.
 */
export function applyMissed(
  missed: MissedMessages,
  { responseNonce, versionInfo }: ObservedRequest,
  { held, wants, at, changes }: AnswerTarget,
  { method, isPolled = false }: { readonly method: DiscoveryMethod; readonly isPolled?: boolean },
): void {
  if (responseNonce === '' && !isPolled) return;
  const isNewest = isPolled ? versionInfo === missed.versionInfo : responseNonce === missed.nonce;
  if (isNewest && !method.isDelta) held.restoreMissed(wants, at, changes);
  else held.markMissed(wants, at, changes);
}
