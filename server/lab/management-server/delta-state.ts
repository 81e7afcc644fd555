import { isCollection } from '@/lib/xds/resource-name';
import type { EpochMs } from '@/lib/xds/units';
import { coveredInDelta, findServed, freshErrors } from './covered-resources';
import { type Delivery, deliver, validate } from './delivery';
import type { ResourceView, ServedError, StoredResource } from './snapshot-store';
import { covers, noSubscription, type Subscription, subscribeDelta } from './subscription';

export interface DeltaRequest {
  readonly typeUrl: string;
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** The versions, by name, that the client has from an earlier stream. Only the first request may have them. */
  readonly initialResourceVersions: ReadonlyMap<string, string>;
  readonly responseNonce: string;
  readonly errorDetail: string | null;
}

/** One type on one delta stream. Reset with the stream. */
export interface DeltaState {
  readonly subscription: Subscription;
  /** False until the first request of the type. */
  readonly opened: boolean;
  /** The version of each name that was sent to the client, or null if the resource was sent as removed. */
  readonly reported: ReadonlyMap<string, string | null>;
  /** Names that must be answered even if nothing changed. */
  readonly owed: ReadonlySet<string>;
  /** A first wildcard is answered even without a resource, so that the client does not wait for its timer. */
  readonly owesFirst: boolean;
  readonly deliveries: ReadonlyMap<string, Delivery>;
  /** The key is the name. An entry is deleted when the resource is sent after all. */
  readonly reportedErrors: ReadonlyMap<string, ServedError>;
  /** Nonces without an answer. */
  readonly awaiting: ReadonlySet<string>;
}

export const initialDeltaState: DeltaState = {
  subscription: noSubscription,
  opened: false,
  reported: new Map(),
  owed: new Set(),
  owesFirst: false,
  deliveries: new Map(),
  reportedErrors: new Map(),
  awaiting: new Set(),
};

type DeltaReading = 'subscription' | 'ack' | 'nack';

/** Differences are never repeated, so unlike in state of the world, a request counts whatever its nonce is. */
export function receiveDelta(
  state: DeltaState,
  request: DeltaRequest,
  at: EpochMs,
  userAgentName = '',
): { state: DeltaState; reading: DeltaReading } {
  const { typeUrl, subscribe, unsubscribe, responseNonce, errorDetail } = request;
  const isVerdict = state.awaiting.has(responseNonce);
  const answer = { nonce: responseNonce, errorDetail, at, userAgentName, movesVersion: false };
  const isFirst = !state.opened;
  const subscription = subscribeDelta(state.subscription, { isFirst, subscribe, unsubscribe });

  const reported = new Map(isFirst ? request.initialResourceVersions : state.reported);
  const owed = new Set(state.owed);
  for (const name of unsubscribe) {
    owed.delete(name);
    // While the wildcard is subscribed, unsubscribing a name requires an answer: the resource, which is still
    // covered, or its removal.
    if (subscription.wildcard && state.subscription.names.has(name)) owed.add(name);
  }
  for (const name of subscribe) {
    const again = name === '*' ? state.subscription.wildcard : state.subscription.names.has(name);
    // "Re-subscribing must make the server resend", even an unchanged version.
    if (again) for (const each of name === '*' ? reported.keys() : [name]) owed.add(each);
    else if (name !== '*' && !isFirst) owed.add(name);
  }
  // A client drops resources that it no longer subscribes to. They are sent again if it subscribes again.
  const isCovered = (name: string): boolean =>
    [name, ...(state.deliveries.get(name)?.resource.aliases ?? [])].some((each) =>
      covers(subscription, typeUrl, each),
    );
  for (const name of reported.keys()) if (!isCovered(name)) reported.delete(name);

  const awaiting = new Set(state.awaiting);
  awaiting.delete(responseNonce);
  const validated = isVerdict ? validate(state.deliveries, answer) : state.deliveries;
  return {
    state: {
      subscription,
      opened: true,
      reported,
      owed,
      owesFirst: state.owesFirst || (subscription.wildcard && !state.subscription.wildcard),
      deliveries: new Map([...validated].filter(([name]) => isCovered(name))),
      reportedErrors: new Map(
        [...state.reportedErrors].filter(([name]) => covers(subscription, typeUrl, name) && !owed.has(name)),
      ),
      awaiting,
    },
    reading: isVerdict ? (errorDetail === null ? 'ack' : 'nack') : 'subscription',
  };
}

export interface DeltaPlan {
  readonly resources: readonly StoredResource[];
  readonly removed: readonly string[];
  readonly errors: readonly ServedError[];
}

/** Returns the response that is due, if any. Only `removed` deletes; it also answers an unknown name. */
export function planDelta(typeUrl: string, state: DeltaState, view: ResourceView): DeltaPlan | undefined {
  const { subscription, reported, owed, deliveries } = state;
  const owedResources = new Set([...owed].map((name) => findServed(view, name)));
  const resources = coveredInDelta(typeUrl, subscription, view).filter((resource) => {
    const { name, version } = resource;
    // A setter with the previous version sends the resource again.
    const isSetAgain = (deliveries.get(name)?.resource ?? resource) !== resource;
    return isSetAgain || owedResources.has(resource) || reported.get(name) !== version;
  });
  const errors = freshErrors(subscription, view, state.reportedErrors);
  const removed = new Set<string>();
  const isMissing = (name: string): boolean =>
    findServed(view, name) === undefined && !view.errors.has(name) && !isCollection(typeUrl, name);
  for (const [name, version] of reported) if (version !== null && isMissing(name)) removed.add(name);
  for (const name of subscription.names) if (!reported.has(name) && isMissing(name)) removed.add(name);
  for (const name of owed) if (isMissing(name)) removed.add(name);
  const isNothing = resources.length === 0 && removed.size === 0 && errors.length === 0;
  return isNothing && !state.owesFirst ? undefined : { resources, removed: [...removed], errors };
}

export function sentDelta(
  state: DeltaState,
  plan: DeltaPlan,
  { nonce, at }: { nonce: string; at: EpochMs },
): DeltaState {
  const reported = new Map(state.reported);
  const deliveries = new Map(state.deliveries);
  const reportedErrors = new Map(state.reportedErrors);
  for (const error of plan.errors) {
    reportedErrors.set(error.name, error);
    reported.set(error.name, null);
    deliveries.delete(error.name);
  }
  for (const [place, resource] of plan.resources.entries()) {
    reportedErrors.delete(resource.name);
    reported.set(resource.name, resource.version);
    const before = deliveries.get(resource.name);
    const now = { resource, versionInfo: resource.version, nonce, place, at };
    deliveries.set(resource.name, deliver(before, now));
  }
  for (const name of plan.removed) {
    if (state.subscription.names.has(name)) reported.set(name, null);
    else reported.delete(name);
    deliveries.delete(name);
  }
  const awaiting = new Set(state.awaiting).add(nonce);
  return { ...state, reported, deliveries, reportedErrors, awaiting, owed: new Set(), owesFirst: false };
}

/** Returns the state after a message that changes no resource and requires an answer. */
export function sentDeltaHeartbeat(state: DeltaState, nonce: string): DeltaState {
  return { ...state, awaiting: new Set(state.awaiting).add(nonce) };
}
