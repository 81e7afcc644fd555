import {
  isSameSubscription,
  isWanted,
  type SentRequest,
  type Subscription,
  type ValidatedResponse,
} from './xds-channel';

/**
 * The versions, nonces and names of a state-of-the-world stream. Every function is pure: it takes a state and returns the
 * next one with the requests to send, in order.
 */

interface TypeStreamState {
  readonly typeUrl: string;
  readonly subscription: Subscription;
  readonly version: string;
  /** The nonce of the last response. Reset with the stream. */
  readonly nonce: string;
  /**
   * True if this stream has sent a name of this type. From then on an empty list means no resources. Reset with the
   * stream.
   */
  readonly hasNamed: boolean;
  /**
   * Names that were unsubscribed in requests with this nonce. A server ignores requests that cross its response, so that it
   * may still consider these names subscribed. Reset with the nonce.
   */
  readonly dropped: ReadonlySet<string>;
}

export interface AdsStreamState {
  readonly isOpen: boolean;
  /** True if the node was sent, which only the first request of a stream contains. Reset with the stream. */
  readonly isNodeSent: boolean;
  /** The order is that in which the types were subscribed to. */
  readonly types: ReadonlyMap<string, TypeStreamState>;
}

export interface AdsStep {
  readonly state: AdsStreamState;
  readonly requests: readonly SentRequest[];
}

const noNames: ReadonlySet<string> = new Set();

export const initialAdsStreamState: AdsStreamState = { isOpen: false, isNodeSent: false, types: new Map() };

/** On a new stream every wanted type is requested again, with its last accepted version and without a nonce. */
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
 * Replaces the subscription of a type. Nothing is sent if it does not change, or for a type that was never wanted. To
 * unsubscribe from a wildcard that was an empty list takes two requests, because an empty list means no resources only after
 * a name, even `*`. Otherwise the server would go on to send resources.
 */
export function subscribe(state: AdsStreamState, typeUrl: string, subscription: Subscription): AdsStep {
  const known = state.types.get(typeUrl);
  if (known !== undefined && isSameSubscription(known.subscription, subscription))
    return { state, requests: [] };
  const before = known ?? { typeUrl, version: '', nonce: '', hasNamed: false, dropped: noNames };
  if (!state.isOpen) return { state: withType(state, { ...before, subscription }), requests: [] };
  const unsubscribed =
    known === undefined ? [] : [...known.subscription.names].filter((name) => !subscription.names.has(name));
  const dropped = unsubscribed.length === 0 ? before.dropped : new Set([...before.dropped, ...unsubscribed]);
  const type: TypeStreamState = { ...before, subscription, dropped };
  const next = withType(state, type);
  if (isWanted(subscription) || type.hasNamed) return send(next, type, 'subscription');
  if (known === undefined || !isWanted(known.subscription)) return { state: next, requests: [] };
  const named = send(state, { ...known, hasNamed: true }, 'subscription');
  return append(named, send(named.state, { ...type, hasNamed: true }, 'subscription'));
}

/**
 * Answers a response. An ACK carries the new version; a NACK repeats the last accepted version with the new nonce, unless
 * the verdict moves the version (gRFC A46: the valid resources of the response are in effect). As in grpc-go, a type that
 * was never requested on this stream gets no answer, because its empty list of names would request all resources.
 *
 * A name that was unsubscribed and subscribed again while this response was on its way was always subscribed for the
 * server, which would not send it again. Therefore the answer omits it, and one request with all names follows; only one,
 * because a server without such a resource may answer it with an empty response.
 */
export function onResponse(state: AdsStreamState, response: ValidatedResponse): AdsStep {
  const known = state.types.get(response.typeUrl);
  if (known === undefined) return { state, requests: [] };
  const { verdict, nonce } = response;
  const movesVersion = verdict.kind === 'accepted' || verdict.movesVersion === true;
  const version = movesVersion ? response.versionInfo : known.version;
  // The stream may have ended while the response was read. The version is kept, but its nonce is not valid any more.
  if (!state.isOpen) return { state: withType(state, { ...known, version }), requests: [] };
  const type: TypeStreamState = { ...known, version, nonce, dropped: noNames };
  if (!isWanted(type.subscription) && !type.hasNamed) return { state: withType(state, type), requests: [] };
  const missing = resubscribed(known, response);
  const reason = verdict.kind === 'accepted' ? 'ack' : 'nack';
  const errorDetail = verdict.kind === 'accepted' ? '' : verdict.errorDetail;
  if (missing.size === 0) return send(state, type, reason, errorDetail);
  const names = new Set([...type.subscription.names].filter((name) => !missing.has(name)));
  const answered = send(state, { ...type, subscription: { wildcard: false, names } }, reason, errorDetail);
  return append(answered, send(answered.state, { ...type, hasNamed: true }, 'subscription'));
}

/** Returns the names that were unsubscribed and subscribed again and are unknown. A wildcard keeps its resources. */
function resubscribed(
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
 * Returns the complete subscription, which every state-of-the-world request contains. The wildcard is the empty list,
 * which older servers support too, until this stream has sent a name of the type; after that it is `*`.
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

/** Caches lists of names, which may have 100,000 elements and are repeated with each ACK. */
const lists = new WeakMap<Subscription, readonly string[]>();

function withType(state: AdsStreamState, type: TypeStreamState): AdsStreamState {
  return { ...state, types: new Map(state.types).set(type.typeUrl, type) };
}

function append(before: AdsStep, after: AdsStep): AdsStep {
  return { state: after.state, requests: [...before.requests, ...after.requests] };
}
