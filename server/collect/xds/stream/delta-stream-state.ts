/**
 * The names that a delta stream has subscribed to; its requests carry no versions. Every function is pure: it takes a state
 * and returns the next one with the requests to send, in order.
 */

import { isWanted, type SentRequest, type Subscription, type ValidatedResponse } from './xds-channel';

interface DeltaTypeState {
  readonly typeUrl: string;
  readonly subscription: Subscription;
  /** True if this stream has requested the type. Reset with the stream. */
  readonly isRequested: boolean;
  /** The names that were sent to the server, including "*". Reset with the stream. */
  readonly subscribed: ReadonlySet<string>;
}

export interface DeltaStreamState {
  readonly isOpen: boolean;
  /** True if the node was sent, which only the first request of a stream contains. Reset with the stream. */
  readonly isNodeSent: boolean;
  /** The order is that in which the types were subscribed to. */
  readonly types: ReadonlyMap<string, DeltaTypeState>;
}

export interface DeltaStep {
  readonly state: DeltaStreamState;
  readonly requests: readonly SentRequest[];
}

/** The versions of the held resources of a type by name. The server need not send these again on a new stream. */
export type HeldVersions = (typeUrl: string) => ReadonlyMap<string, string>;

export const initialDeltaStreamState: DeltaStreamState = {
  isOpen: false,
  isNodeSent: false,
  types: new Map(),
};

const noNames: ReadonlySet<string> = new Set();
const noVersions: ReadonlyMap<string, string> = new Map();

/** On a new stream all wanted names are subscribed to again, with the versions of the held resources. */
export function onDeltaStreamOpened(state: DeltaStreamState, held: HeldVersions): DeltaStep {
  let step: DeltaStep = { state: { ...state, isOpen: true, isNodeSent: false }, requests: [] };
  for (const type of state.types.values()) {
    const next = request(step.state, { ...type, isRequested: false, subscribed: noNames }, held);
    step = { state: next.state, requests: [...step.requests, ...next.requests] };
  }
  return step;
}

export function onDeltaStreamClosed(state: DeltaStreamState): DeltaStreamState {
  const types = [...state.types].map(
    ([typeUrl, type]) => [typeUrl, { ...type, isRequested: false, subscribed: noNames }] as const,
  );
  return { isOpen: false, isNodeSent: false, types: new Map(types) };
}

/** Replaces the subscription of a type. The difference is sent at once, even while a response is outstanding. */
export function subscribeDelta(
  state: DeltaStreamState,
  typeUrl: string,
  subscription: Subscription,
  held: HeldVersions,
): DeltaStep {
  const known = state.types.get(typeUrl) ?? { typeUrl, isRequested: false, subscribed: noNames };
  const type: DeltaTypeState = { ...known, subscription };
  if (!state.isOpen) return { state: withType(state, type), requests: [] };
  return request(state, type, held);
}

/** Answers a response by its nonce. A type that was not requested on this stream, or a closed stream, gets no answer. */
export function onDeltaResponse(state: DeltaStreamState, response: ValidatedResponse): DeltaStep {
  const { typeUrl, nonce, verdict } = response;
  if (!state.isOpen || state.types.get(typeUrl)?.isRequested !== true) return { state, requests: [] };
  const answer = requestOf(state, typeUrl, {
    reason: verdict.kind === 'accepted' ? 'ack' : 'nack',
    responseNonce: nonce,
    errorDetail: verdict.kind === 'accepted' ? '' : verdict.errorDetail,
  });
  return { state: { ...state, isNodeSent: true }, requests: [answer] };
}

function request(state: DeltaStreamState, type: DeltaTypeState, held: HeldVersions): DeltaStep {
  const { typeUrl, subscription, isRequested, subscribed } = type;
  const wanted = namesOf(subscription);
  if (!isRequested) {
    if (!isWanted(subscription)) return { state: withType(state, type), requests: [] };
    // Two empty lists are the legacy form of the wildcard, which older servers support too.
    const resourceNames = subscription.names.size === 0 ? [] : [...wanted];
    const initialResourceVersions = subscribedOf(held(typeUrl), subscription);
    return send(state, { ...type, subscribed: wanted }, { resourceNames, initialResourceVersions });
  }
  const resourceNames = [...wanted].filter((name) => !subscribed.has(name));
  const unsubscribed = [...subscribed].filter((name) => !wanted.has(name));
  const next = { ...type, subscribed: wanted };
  if (resourceNames.length === 0 && unsubscribed.length === 0) {
    return { state: withType(state, next), requests: [] };
  }
  return send(state, next, { resourceNames, unsubscribed });
}

function send(state: DeltaStreamState, type: DeltaTypeState, fields: Partial<SentRequest>): DeltaStep {
  const request = requestOf(state, type.typeUrl, fields);
  return {
    state: { ...withType(state, { ...type, isRequested: true }), isNodeSent: true },
    requests: [request],
  };
}

function requestOf(state: DeltaStreamState, typeUrl: string, fields: Partial<SentRequest>): SentRequest {
  return {
    isDelta: true,
    reason: 'subscription',
    typeUrl,
    withNode: !state.isNodeSent,
    versionInfo: '',
    responseNonce: '',
    resourceNames: [],
    unsubscribed: [],
    initialResourceVersions: noVersions,
    errorDetail: '',
    ...fields,
  };
}

function namesOf({ wildcard, names }: Subscription): ReadonlySet<string> {
  return wildcard ? new Set(['*', ...names]) : names;
}

/** Returns the versions of subscribed resources; the server needs no others. */
function subscribedOf(
  held: ReadonlyMap<string, string>,
  { wildcard, names }: Subscription,
): ReadonlyMap<string, string> {
  return wildcard ? new Map(held) : new Map([...held].filter(([name]) => names.has(name)));
}

function withType(state: DeltaStreamState, type: DeltaTypeState): DeltaStreamState {
  return { ...state, types: new Map(state.types).set(type.typeUrl, type) };
}
