import {
  isSameSubscription,
  isWanted,
  type SentRequest,
  type Subscription,
  type ValidatedResponse,
} from './xds-channel';

/**
 * What a state-of-the-world ADS stream owes its server: versions, nonces, names. Pure: every function takes a state
 * and returns the next one with the requests to send, in order.
 */

export interface TypeStreamState {
  readonly typeUrl: string;
  readonly subscription: Subscription;
  /** The newest version that we accepted. NOT reset when the stream breaks. */
  readonly version: string;
  /** Of the newest response. Reset when the stream breaks: it means nothing to another stream. */
  readonly nonce: string;
  /** Did this stream ever name a resource of this type? From then on an empty list is "nothing". Reset with the stream. */
  readonly hasNamed: boolean;
  /**
   * Named on this stream, and no longer, in requests with this nonce. If a response crossed them they were ignored, and
   * for the server these names are still subscribed to. Reset with the nonce.
   */
  readonly dropped: ReadonlySet<string>;
}

export interface AdsStreamState {
  readonly isOpen: boolean;
  /** The node goes into the first request of a stream only; the server remembers it. Reset with the stream. */
  readonly isNodeSent: boolean;
  /** In the order in which the types were subscribed to. */
  readonly types: ReadonlyMap<string, TypeStreamState>;
}

export interface AdsStep {
  readonly state: AdsStreamState;
  readonly requests: readonly SentRequest[];
}

const noNames: ReadonlySet<string> = new Set();

export const initialAdsStreamState: AdsStreamState = { isOpen: false, isNodeSent: false, types: new Map() };

/** A new stream: every type that is wanted is asked for again, with the version that we hold and no nonce. */
export function onStreamOpened(state: AdsStreamState): AdsStep {
  const opened: AdsStreamState = { ...state, isOpen: true, isNodeSent: false };
  const wanted = [...state.types.values()].filter(({ subscription }) => isWanted(subscription));
  return wanted.reduce<AdsStep>((step, type) => append(step, send(step.state, type, 'subscription')), {
    state: opened,
    requests: [],
  });
}

export function onStreamClosed(state: AdsStreamState): AdsStreamState {
  const types = [...state.types].map(
    ([typeUrl, type]) => [typeUrl, { ...type, nonce: '', hasNamed: false, dropped: noNames }] as const,
  );
  return { isOpen: false, isNodeSent: false, types: new Map(types) };
}

/**
 * Replaces what is wanted of a type. Nothing is sent where nothing changes, nor for a type that was not wanted before.
 * "Nothing" after an "everything" that was an empty list takes two requests: only after a name, even `*`, does the
 * empty list mean nothing. Without them the server would take us to hold what we have dropped.
 */
export function subscribe(state: AdsStreamState, typeUrl: string, subscription: Subscription): AdsStep {
  const known = state.types.get(typeUrl);
  if (known !== undefined && isSameSubscription(known.subscription, subscription))
    return { state, requests: [] };
  const before = known ?? { typeUrl, version: '', nonce: '', hasNamed: false, dropped: noNames };
  if (!state.isOpen) return { state: withType(state, { ...before, subscription }), requests: [] };
  const gone =
    known === undefined ? [] : [...known.subscription.names].filter((name) => !subscription.names.has(name));
  const dropped = gone.length === 0 ? before.dropped : new Set([...before.dropped, ...gone]);
  const type: TypeStreamState = { ...before, subscription, dropped };
  const next = withType(state, type);
  if (isWanted(subscription) || type.hasNamed) return send(next, type, 'subscription');
  if (known === undefined || !isWanted(known.subscription)) return { state: next, requests: [] };
  const named = send(state, { ...known, hasNamed: true }, 'subscription');
  return append(named, send(named.state, { ...type, hasNamed: true }, 'subscription'));
}

/**
 * Answers a response. An ACK moves the version; a NACK repeats the last accepted one, with the new nonce, unless the
 * verdict says that the client takes the new one (gRFC A46: the good part of the response is in use). A type that was
 * never asked for on this stream gets no answer (as grpc-go does): its empty list of names would ask for everything.
 *
 * A name that was dropped and is wanted again, while this response was on its way, was for the server always wanted, and
 * would not be sent again. So it is left out of the answer, and a request that names it follows: once, since a server
 * that has no such resource may answer that with a response which brings nothing.
 */
export function onResponse(state: AdsStreamState, response: ValidatedResponse): AdsStep {
  const known = state.types.get(response.typeUrl);
  if (known === undefined) return { state, requests: [] };
  const { verdict, nonce } = response;
  const movesVersion = verdict.kind === 'accepted' || verdict.movesVersion === true;
  const version = movesVersion ? response.versionInfo : known.version;
  // The stream may have ended while the response was being read: the version stays ours, the nonce went with it.
  if (!state.isOpen) return { state: withType(state, { ...known, version }), requests: [] };
  const type: TypeStreamState = { ...known, version, nonce, dropped: noNames };
  if (!isWanted(type.subscription) && !type.hasNamed) return { state: withType(state, type), requests: [] };
  const missing = wantedAnew(known, response);
  const reason = verdict.kind === 'accepted' ? 'ack' : 'nack';
  const errorDetail = verdict.kind === 'accepted' ? '' : verdict.errorDetail;
  if (missing.size === 0) return send(state, type, reason, errorDetail);
  const names = new Set([...type.subscription.names].filter((name) => !missing.has(name)));
  const answered = send(state, { ...type, subscription: { wildcard: false, names } }, reason, errorDetail);
  return append(answered, send(answered.state, { ...type, hasNamed: true }, 'subscription'));
}

/** Dropped and wanted again, and not heard of since. What a wildcard brings was kept. */
function wantedAnew(
  { subscription, dropped }: TypeStreamState,
  { isAwaited }: ValidatedResponse,
): ReadonlySet<string> {
  if (dropped.size === 0 || subscription.wildcard || isAwaited === undefined) return noNames;
  return new Set([...dropped].filter((name) => subscription.names.has(name) && isAwaited(name)));
}

function send(
  state: AdsStreamState,
  type: TypeStreamState,
  reason: SentRequest['reason'],
  errorDetail = '',
): AdsStep {
  const resourceNames = namesOnTheWire(type);
  const request: SentRequest = {
    isDelta: false,
    reason,
    typeUrl: type.typeUrl,
    withNode: !state.isNodeSent,
    versionInfo: type.version,
    responseNonce: type.nonce,
    resourceNames,
    unsubscribed: [],
    initialResourceVersions: new Map(),
    errorDetail,
  };
  const sent = { ...type, hasNamed: type.hasNamed || resourceNames.length > 0 };
  return { state: { ...withType(state, sent), isNodeSent: true }, requests: [request] };
}

/**
 * The whole subscription, as state of the world wants it in every request. "Everything" is the empty list (which
 * servers older than `*` know too) as long as this stream has named nothing of the type; after that it is `*`.
 */
function namesOnTheWire({ subscription, hasNamed }: TypeStreamState): readonly string[] {
  const { wildcard, names } = subscription;
  if (wildcard && names.size === 0) return hasNamed ? ['*'] : [];
  const known = lists.get(subscription);
  if (known !== undefined) return known;
  const list = wildcard ? ['*', ...names] : [...names];
  lists.set(subscription, list);
  return list;
}

/** Each ACK repeats the list, of 100,000 names maybe: made once. */
const lists = new WeakMap<Subscription, readonly string[]>();

function withType(state: AdsStreamState, type: TypeStreamState): AdsStreamState {
  return { ...state, types: new Map(state.types).set(type.typeUrl, type) };
}

function append(before: AdsStep, after: AdsStep): AdsStep {
  return { state: after.state, requests: [...before.requests, ...after.requests] };
}
