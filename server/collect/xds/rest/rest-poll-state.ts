/** The versions and names of the polls of one type. Every function is pure: it takes a state and returns the next one. */

import {
  hasGained,
  isWanted,
  type SentRequest,
  type Subscription,
  type ValidatedResponse,
} from '../stream/xds-channel';

export interface RestPollState {
  readonly typeUrl: string;
  readonly subscription: Subscription;
  /** The last accepted version. It is NOT reset when polls fail. */
  readonly version: string;
  /** The nonce of the last response, which is optional in REST. Reset when polls fail. */
  readonly nonce: string;
  /** The reason of the last rejection, which every poll contains until a response is accepted. Reset when polls fail. */
  readonly errorDetail: string;
  /** True if the subscription covers resources that no response has covered. */
  readonly hasUncovered: boolean;
}

const nothing: Subscription = { wildcard: false, names: new Set() };

export function initialRestPollState(typeUrl: string): RestPollState {
  return { typeUrl, subscription: nothing, version: '', nonce: '', errorDetail: '', hasUncovered: false };
}

export function subscribe(state: RestPollState, subscription: Subscription): RestPollState {
  const hasUncovered = state.hasUncovered || hasGained(state.subscription, subscription);
  return { ...state, subscription, hasUncovered };
}

/** Must be called with the subscription of the answered poll. The next poll requests what changed since. */
export function onAnswered(state: RestPollState, polled: Subscription): RestPollState {
  return polled === state.subscription ? { ...state, hasUncovered: false } : state;
}

/** xDS REST: an invalid update is not adopted, and the next poll carries the old version. */
export function onValidated(
  state: RestPollState,
  { verdict, versionInfo, nonce }: ValidatedResponse,
): RestPollState {
  return verdict.kind === 'accepted'
    ? { ...state, version: versionInfo, nonce, errorDetail: '' }
    : { ...state, nonce, errorDetail: verdict.errorDetail };
}

/**
 * Must be called for a 304 as the first answer after polls failed or were stopped. A restarted server may reuse
 * versions, so the next poll requests all resources.
 */
export function requestAll(state: RestPollState): RestPollState {
  return { ...state, hasUncovered: true };
}

export function onFailed(state: RestPollState): RestPollState {
  return { ...state, nonce: '', errorDetail: '' };
}

/**
 * Returns the next poll, or undefined if no resource is wanted, because an empty list would request all resources. Each
 * poll has the node and all names. A poll for uncovered resources carries no version, because servers answer 304 by the
 * version alone (go-control-plane) and would not send new resources.
 */
export function requestOf(state: RestPollState): SentRequest | undefined {
  const { typeUrl, subscription, version, nonce, errorDetail, hasUncovered } = state;
  if (!isWanted(subscription)) return undefined;
  const { wildcard, names } = subscription;
  return {
    isDelta: false,
    reason: errorDetail === '' ? 'subscription' : 'nack',
    typeUrl,
    withNode: true,
    versionInfo: hasUncovered ? '' : version,
    responseNonce: nonce,
    resourceNames: wildcard && names.size === 0 ? [] : [...(wildcard ? ['*'] : []), ...names],
    unsubscribed: [],
    initialResourceVersions: new Map(),
    errorDetail,
  };
}
