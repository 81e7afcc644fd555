import { normaliseResourceName } from '@/lib/xds/resource-name';
import type { ObservedRequest } from './decode-request';
import { applyMissed } from './missed-messages';
import type { RequestTarget } from './read-answer';
import { keepOnly, repeatsAfterDrop, type SubscriptionChange } from './read-subscription';

export interface ReadSubscription extends SubscriptionChange {
  /** Whether names or the wildcard changed. */
  readonly isChanged: boolean;
  /** Whether it is the first request for the type on the stream. */
  readonly isFirst: boolean;
}

/**
 * Applies what a request subscribes to, and what the client holds by the request. `isLate`: earlier messages of the stream were
 * not recorded. MUTATES `target`.
 */
export function applySubscription(
  request: ObservedRequest,
  { added, dropped, isChanged, isFirst }: ReadSubscription,
  { isAnswer, isLate }: { readonly isAnswer: boolean; readonly isLate: boolean },
  target: RequestTarget,
): void {
  const { versionInfo, initialVersions, responseNonce } = request;
  const { type, held, wants, at, changes, isDelta, userAgentName } = target;
  held.subscriptions.add(wants);
  if (isFirst && !isLate && !held.subscriptions.isShared(wants)) {
    held.clearAllUnanswered(at, changes);
    if (isDelta) keepOnly(held, initialVersions, changes);
    else if (versionInfo === '') held.clear(changes);
  }
  for (const name of added) held.want(name, at, changes);
  for (const name of dropped) held.drop(name, changes);
  for (const [name, version] of initialVersions) {
    held.addHeld(normaliseResourceName(name), version, at, changes);
  }
  if (type.missed !== null) applyMissed(type.missed, request, target);
  const isRepeated = !isAnswer && !isChanged && !isDelta && responseNonce === type.answeredNonce;
  if (isRepeated && type.missed === null && repeatsAfterDrop(userAgentName)) {
    for (const name of wants.names) held.requestAgain(name, at, changes);
  }
}
