/**
 * What a delta stream owes its server: which names it has reported, and nothing of versions, which requests do not carry.
 * Pure: every function takes a state and returns the next one with the requests to send, in order.
 */

import { isWanted, type SentRequest, type Subscription, type ValidatedResponse } from './xds-channel';

export interface DeltaTypeState {
  readonly typeUrl: string;
  readonly subscription: Subscription;
  /** Did this stream ask for the type already? Reset with the stream. */
  readonly isAsked: boolean;
  /** What the server takes us to want, "*" among them. Reset with the stream. */
  readonly reported: ReadonlySet<string>;
}

export interface DeltaStreamState {
  readonly isOpen: boolean;
  /** The node goes into the first request of a stream only. Reset with the stream. */
  readonly isNodeSent: boolean;
  /** In the order in which the types were subscribed to. */
  readonly types: ReadonlyMap<string, DeltaTypeState>;
}

export interface DeltaStep {
  readonly state: DeltaStreamState;
  readonly requests: readonly SentRequest[];
}

/** Name -> version of what is held of a type. Resources survive the stream, and so the server need not send them again. */
export type HeldVersions = (typeUrl: string) => ReadonlyMap<string, string>;

export const initialDeltaStreamState: DeltaStreamState = {
  isOpen: false,
  isNodeSent: false,
  types: new Map(),
};

const noNames: ReadonlySet<string> = new Set();
const noVersions: ReadonlyMap<string, string> = new Map();

/** A new stream: all that is wanted is subscribed to anew, with the versions of what we hold. */
export function onDeltaStreamOpened(state: DeltaStreamState, held: HeldVersions): DeltaStep {
  let step: DeltaStep = { state: { ...state, isOpen: true, isNodeSent: false }, requests: [] };
  for (const type of state.types.values()) {
    const asked = ask(step.state, { ...type, isAsked: false, reported: noNames }, held);
    step = { state: asked.state, requests: [...step.requests, ...asked.requests] };
  }
  return step;
}

export function onDeltaStreamClosed(state: DeltaStreamState): DeltaStreamState {
  const types = [...state.types].map(
    ([typeUrl, type]) => [typeUrl, { ...type, isAsked: false, reported: noNames }] as const,
  );
  return { isOpen: false, isNodeSent: false, types: new Map(types) };
}

/** Replaces what is wanted of a type; the difference goes out at once, whatever response is outstanding. */
export function subscribeDelta(
  state: DeltaStreamState,
  typeUrl: string,
  subscription: Subscription,
  held: HeldVersions,
): DeltaStep {
  const known = state.types.get(typeUrl) ?? { typeUrl, isAsked: false, reported: noNames };
  const type: DeltaTypeState = { ...known, subscription };
  if (!state.isOpen) return { state: withType(state, type), requests: [] };
  return ask(state, type, held);
}

/**
 * Answers a response by its nonce alone. A type that was not asked for on this stream gets no answer; nor does a
 * response whose stream has ended, since its nonce went with it.
 */
export function onDeltaResponse(state: DeltaStreamState, response: ValidatedResponse): DeltaStep {
  const { typeUrl, nonce, verdict } = response;
  if (!state.isOpen || state.types.get(typeUrl)?.isAsked !== true) return { state, requests: [] };
  const answer = requestOf(state, typeUrl, {
    reason: verdict.kind === 'accepted' ? 'ack' : 'nack',
    responseNonce: nonce,
    errorDetail: verdict.kind === 'accepted' ? '' : verdict.errorDetail,
  });
  return { state: { ...state, isNodeSent: true }, requests: [answer] };
}

function ask(state: DeltaStreamState, type: DeltaTypeState, held: HeldVersions): DeltaStep {
  const { typeUrl, subscription, isAsked, reported } = type;
  const wanted = namesOf(subscription);
  if (!isAsked) {
    if (!isWanted(subscription)) return { state: withType(state, type), requests: [] };
    // The legacy form of the wildcard, both lists empty, which servers older than "*" know too.
    const resourceNames = subscription.names.size === 0 ? [] : [...wanted];
    const initialResourceVersions = subscribedOf(held(typeUrl), subscription);
    return send(state, { ...type, reported: wanted }, { resourceNames, initialResourceVersions });
  }
  const resourceNames = [...wanted].filter((name) => !reported.has(name));
  const unsubscribed = [...reported].filter((name) => !wanted.has(name));
  const next = { ...type, reported: wanted };
  if (resourceNames.length === 0 && unsubscribed.length === 0) {
    return { state: withType(state, next), requests: [] };
  }
  return send(state, next, { resourceNames, unsubscribed });
}

function send(state: DeltaStreamState, type: DeltaTypeState, fields: Partial<SentRequest>): DeltaStep {
  const request = requestOf(state, type.typeUrl, fields);
  return { state: { ...withType(state, { ...type, isAsked: true }), isNodeSent: true }, requests: [request] };
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

/** Only of what is subscribed to: the rest is held no longer, as far as the server is concerned. */
function subscribedOf(
  held: ReadonlyMap<string, string>,
  { wildcard, names }: Subscription,
): ReadonlyMap<string, string> {
  return wildcard ? new Map(held) : new Map([...held].filter(([name]) => names.has(name)));
}

function withType(state: DeltaStreamState, type: DeltaTypeState): DeltaStreamState {
  return { ...state, types: new Map(state.types).set(type.typeUrl, type) };
}
