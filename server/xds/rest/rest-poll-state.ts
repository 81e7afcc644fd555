/** What the polls of one type owe their server. Pure: every function takes a state and returns the next one. */

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
  /** The newest version that we accepted. NOT reset when polls fail. */
  readonly version: string;
  /** Of the newest response; optional in REST. Reset when polls fail. */
  readonly nonce: string;
  /** Why the newest response was rejected: every poll says so until one is accepted. Reset when polls fail. */
  readonly errorDetail: string;
  /** The subscription covers more than any answer did. */
  readonly isOwed: boolean;
}

const nothing: Subscription = { wildcard: false, names: new Set() };

export function initialRestPollState(typeUrl: string): RestPollState {
  return { typeUrl, subscription: nothing, version: '', nonce: '', errorDetail: '', isOwed: false };
}

export function subscribe(state: RestPollState, subscription: Subscription): RestPollState {
  const isOwed = state.isOwed || hasGained(state.subscription, subscription);
  return { ...state, subscription, isOwed };
}

/** A response to a poll with this subscription came. (It may have changed since; then the next poll asks again.) */
export function onAnswered(state: RestPollState, asked: Subscription): RestPollState {
  return asked === state.subscription ? { ...state, isOwed: false } : state;
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
 * "Nothing new", as the first answer after polls failed or were stopped. That proves little (a server that was started
 * anew may count its versions from one again), so everything is asked for, once.
 */
export function askAnew(state: RestPollState): RestPollState {
  return { ...state, isOwed: true };
}

export function onFailed(state: RestPollState): RestPollState {
  return { ...state, nonce: '', errorDetail: '' };
}

/**
 * The poll that is due; undefined where nothing is wanted: an empty list would mean everything. Each poll stands
 * alone, so it has the node and all names. One that asks for more than was ever answered carries no version: servers
 * answer "304, nothing new" by the version alone (go-control-plane), and what is newly asked for would never come.
 */
export function requestOf(state: RestPollState): SentRequest | undefined {
  const { typeUrl, subscription, version, nonce, errorDetail, isOwed } = state;
  if (!isWanted(subscription)) return undefined;
  const { wildcard, names } = subscription;
  return {
    isDelta: false,
    reason: errorDetail === '' ? 'subscription' : 'nack',
    typeUrl,
    withNode: true,
    versionInfo: isOwed ? '' : version,
    responseNonce: nonce,
    resourceNames: wildcard && names.size === 0 ? [] : [...(wildcard ? ['*'] : []), ...names],
    unsubscribed: [],
    initialResourceVersions: new Map(),
    errorDetail,
  };
}
