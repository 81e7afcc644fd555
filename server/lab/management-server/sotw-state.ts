import { findResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { coveredBy, freshErrors } from './covered-resources';
import { type Delivery, deliver, validate } from './delivery';
import type { ResourceView, ServedError, StoredResource } from './snapshot-store';
import { covers, gained, noSubscription, type Subscription, subscribeSotw } from './subscription';

export interface SotwRequest {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly resourceNames: readonly string[];
  readonly responseNonce: string;
  /** Only this field identifies a NACK; versions do not. */
  readonly errorDetail: string | null;
}

/** One type on one state-of-the-world stream. Reset with the stream. */
export interface SotwState {
  readonly subscription: Subscription;
  /** Nonce of the newest response; empty before the first. */
  readonly nonce: string;
  readonly versionInfo: string;
  /** True if the newest response has no answer yet. */
  readonly awaitingVerdict: boolean;
  /** The client subscribed to more than it was answered for. For LDS and CDS an empty answer is then due, too. */
  readonly owed: boolean;
  readonly deliveries: ReadonlyMap<string, Delivery>;
  /** The key is the name. An entry is deleted when the resource is sent after all. */
  readonly reportedErrors: ReadonlyMap<string, ServedError>;
}

export const initialSotwState: SotwState = {
  subscription: noSubscription,
  nonce: '',
  versionInfo: '',
  awaitingVerdict: false,
  owed: false,
  deliveries: new Map(),
  reportedErrors: new Map(),
};

type SotwReading = 'subscription' | 'ack' | 'nack' | 'stale';

/**
 * A request whose nonce is not the newest is stale: its names are ignored, because the answer to the newest response
 * repeats all of them. Its ACK or NACK still counts for resources that only that older response carried. An empty nonce
 * always means a subscription, because the client has received no response on this stream. Any nonce before the first
 * response means a subscription, too: it belongs to an earlier stream, and although clients should not send it, it must
 * be answered.
 */
export function receiveSotw(
  state: SotwState,
  request: SotwRequest,
  at: EpochMs,
  userAgentName = '',
): { state: SotwState; reading: SotwReading } {
  const { typeUrl, responseNonce, errorDetail, versionInfo } = request;
  const answer = { nonce: responseNonce, errorDetail, at, userAgentName };
  if (responseNonce !== '' && state.nonce !== '' && responseNonce !== state.nonce) {
    const deliveries = validate(state.deliveries, { ...answer, movesVersion: false });
    return { state: { ...state, deliveries }, reading: 'stale' };
  }
  const isVerdict = responseNonce !== '' && state.awaitingVerdict;
  const subscription = subscribeSotw(state.subscription, request.resourceNames);
  const isFirst = !state.subscription.everNamed && !state.subscription.wildcard;
  // Unsubscribed names are removed. They are sent again after a new subscription, because the client may have dropped
  // them.
  const isCovered = (name: string): boolean => covers(subscription, typeUrl, name);
  const kept = new Map([...state.deliveries].filter(([name]) => isCovered(name)));
  const next: SotwState = {
    ...state,
    subscription,
    awaitingVerdict: isVerdict ? false : state.awaitingVerdict,
    owed: state.owed || isFirst || gained(state.subscription, subscription),
    deliveries: isVerdict
      ? validate(kept, { ...answer, movesVersion: versionInfo !== '' && versionInfo === state.versionInfo })
      : kept,
    reportedErrors: new Map([...state.reportedErrors].filter(([name]) => isCovered(name))),
  };
  return { state: next, reading: isVerdict ? (errorDetail === null ? 'ack' : 'nack') : 'subscription' };
}

/** The state after the client has lost resources that it was sent: they are due when it requests them. */
export function forgetDeliveries(state: SotwState, names: ReadonlySet<string>): SotwState {
  const kept = [...state.deliveries].filter(([name]) => !names.has(name));
  return kept.length === state.deliveries.size ? state : { ...state, deliveries: new Map(kept) };
}

export interface SotwPlan {
  readonly resources: readonly StoredResource[];
  readonly errors: readonly ServedError[];
}

/**
 * Returns the response that is due, or undefined. LDS and CDS responses carry everything that the subscription covers,
 * because absence deletes; other types carry what is new to the client, because absence has no meaning.
 */
export function planSotw(typeUrl: string, state: SotwState, view: ResourceView): SotwPlan | undefined {
  const { subscription, deliveries, owed } = state;
  const errors = freshErrors(subscription, view, state.reportedErrors);
  const covered = coveredBy(subscription, view);
  const fresh = covered.filter((resource) => deliveries.get(resource.name)?.resource !== resource);
  if (findResourceType(typeUrl)?.absenceDeletes) {
    // Deliveries contain only covered names, so a different number means a deletion.
    const unchanged = fresh.length === 0 && covered.length === deliveries.size;
    return unchanged && errors.length === 0 && !owed ? undefined : { resources: covered, errors };
  }
  return fresh.length === 0 && errors.length === 0 ? undefined : { resources: fresh, errors };
}

export function sentSotw(
  typeUrl: string,
  state: SotwState,
  plan: SotwPlan,
  response: { versionInfo: string; nonce: string; at: EpochMs },
): SotwState {
  const { versionInfo, nonce, at } = response;
  const full = findResourceType(typeUrl)?.absenceDeletes === true;
  const deliveries = new Map(full ? [] : state.deliveries);
  const reportedErrors = new Map(state.reportedErrors);
  for (const error of plan.errors) {
    reportedErrors.set(error.name, error);
    deliveries.delete(error.name);
  }
  for (const [place, resource] of plan.resources.entries()) {
    reportedErrors.delete(resource.name);
    const before = state.deliveries.get(resource.name);
    deliveries.set(resource.name, deliver(before, { resource, versionInfo, nonce, place, at }));
  }
  return { ...state, nonce, versionInfo, awaitingVerdict: true, owed: false, deliveries, reportedErrors };
}

/** Returns the state after a message that changes no resource and requires an answer. */
export function sentSotwHeartbeat(state: SotwState, nonce: string): SotwState {
  return { ...state, nonce, awaitingVerdict: true };
}
