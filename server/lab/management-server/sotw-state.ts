import { findResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { coveredBy, freshErrors } from './covered-resources';
import { type Delivery, deliver, validate } from './delivery';
import type { ResourceView, ServedError, StoredResource } from './snapshot-store';
import { covers, gained, noSubscription, type Subscription, subscribeSotw } from './subscription';

/** The fields of a DiscoveryRequest that decide. */
export interface SotwRequest {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly resourceNames: readonly string[];
  readonly responseNonce: string;
  /** A NACK is known by this alone, never by versions. */
  readonly errorDetail: string | null;
}

/** One type on one state-of-the-world stream. Reset with the stream. */
export interface SotwState {
  readonly subscription: Subscription;
  /** Of the newest response; empty before the first. */
  readonly nonce: string;
  readonly versionInfo: string;
  /** The newest response has no answer yet. */
  readonly awaitingVerdict: boolean;
  /** The client subscribed to more than it was answered for. (LDS and CDS: then even an empty answer is due.) */
  readonly owed: boolean;
  readonly deliveries: ReadonlyMap<string, Delivery>;
  /** By name; forgotten when the resource comes after all. */
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

/** What a request turned out to be. */
export type SotwReading = 'subscription' | 'ack' | 'nack' | 'stale';

/**
 * A request with a nonce that is not the newest is stale: its names are ignored, because the answer to the newest
 * response repeats them all. Its verdict still counts, for what only that older response carried.
 * An empty nonce is always a subscription: the client has seen no response of this stream. So is any nonce before the
 * first response: it is of an earlier stream, which a client should not send but which must not cost it its answer.
 */
export function receiveSotw(
  state: SotwState,
  request: SotwRequest,
  at: EpochMs,
  userAgentName = '',
): { state: SotwState; reading: SotwReading } {
  const { responseNonce, errorDetail, versionInfo } = request;
  const answer = { nonce: responseNonce, errorDetail, at, userAgentName };
  if (responseNonce !== '' && state.nonce !== '' && responseNonce !== state.nonce) {
    const deliveries = validate(state.deliveries, { ...answer, movesVersion: false });
    return { state: { ...state, deliveries }, reading: 'stale' };
  }
  const isVerdict = responseNonce !== '' && state.awaitingVerdict;
  const subscription = subscribeSotw(state.subscription, request.resourceNames);
  const isFirst = !state.subscription.everNamed && !state.subscription.wildcard;
  // A name that was dropped is forgotten: when it comes back it is sent again, the client may hold it no longer.
  const kept = new Map([...state.deliveries].filter(([name]) => covers(subscription, name)));
  const next: SotwState = {
    ...state,
    subscription,
    awaitingVerdict: isVerdict ? false : state.awaitingVerdict,
    owed: state.owed || isFirst || gained(state.subscription, subscription),
    deliveries: isVerdict
      ? validate(kept, { ...answer, movesVersion: versionInfo !== '' && versionInfo === state.versionInfo })
      : kept,
    reportedErrors: new Map([...state.reportedErrors].filter(([name]) => covers(subscription, name))),
  };
  return { state: next, reading: isVerdict ? (errorDetail === null ? 'ack' : 'nack') : 'subscription' };
}

export interface SotwPlan {
  readonly resources: readonly StoredResource[];
  readonly errors: readonly ServedError[];
}

/**
 * The response that is due, or undefined. LDS and CDS carry all that the subscription covers, because
 * absence deletes; other types carry what is new to the client, because absence means nothing.
 */
export function planSotw(typeUrl: string, state: SotwState, view: ResourceView): SotwPlan | undefined {
  const { subscription, deliveries, owed } = state;
  const errors = freshErrors(subscription, view, state.reportedErrors);
  const covered = coveredBy(subscription, view);
  const fresh = covered.filter((resource) => deliveries.get(resource.name)?.resource !== resource);
  if (findResourceType(typeUrl)?.absenceDeletes) {
    // Deliveries hold only covered names, so a difference in number is a deletion.
    const unchanged = fresh.length === 0 && covered.length === deliveries.size;
    return unchanged && errors.length === 0 && !owed ? undefined : { resources: covered, errors };
  }
  return fresh.length === 0 && errors.length === 0 ? undefined : { resources: fresh, errors };
}

/** The state after a plan was carried out under `nonce`. */
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

/** The state after something was sent that changes no resource, and is to be answered. */
export function sentSotwHeartbeat(state: SotwState, nonce: string): SotwState {
  return { ...state, nonce, awaitingVerdict: true };
}
