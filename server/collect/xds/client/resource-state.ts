import type { ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import type { EpochMs } from '@/lib/xds/units';
import type { ErrorPolicy } from '../stream/error-policy';

/**
 * The states of one resource in the cache; each function is one transition. A state with a hash has a body in effect. An
 * `ambientError` (gRFC A88) is an error while the body stays in effect.
 */

/** The resource is subscribed to, and no server has sent anything for it. */
export function requested({ typeUrl, name }: ResourceKey, at: EpochMs): ResourceState {
  return {
    typeUrl,
    name,
    versionInfo: '',
    clientStatus: 'REQUESTED',
    configStatus: 'UNKNOWN',
    lastUpdated: null,
    errorState: null,
    hash: null,
    sizeBytes: null,
    isStatic: false,
    changedAt: at,
  };
}

interface AcceptedBody {
  readonly versionInfo: string;
  readonly hash: string;
  readonly sizeBytes: number;
  readonly apiVersion?: 'v2' | undefined;
  /** The name in the resource, if it is subscribed to by an alias. */
  readonly canonicalName?: string | undefined;
}

export function accepted({ typeUrl, name }: ResourceKey, body: AcceptedBody, at: EpochMs): ResourceState {
  const { versionInfo, hash, sizeBytes, apiVersion, canonicalName } = body;
  const state: ResourceState = {
    typeUrl,
    name,
    versionInfo,
    clientStatus: 'ACKED',
    configStatus: 'UNKNOWN',
    lastUpdated: at,
    errorState: null,
    hash,
    sizeBytes,
    isStatic: false,
    changedAt: at,
  };
  if (apiVersion === undefined && canonicalName === undefined) return state;
  return {
    ...state,
    ...(apiVersion && { apiVersion }),
    ...(canonicalName !== undefined && { canonicalName }),
  };
}

interface Rejection {
  readonly reason: string;
  readonly versionInfo: string;
  readonly failedHash: string | null;
  readonly mayBeInEffect?: true;
}

/** The update is rejected. gRFC A46: the last accepted body remains in effect; A88: fail_on_data_errors drops it. */
export function rejected(
  previous: ResourceState,
  { reason, ...rejection }: Rejection,
  at: EpochMs,
  policy: ErrorPolicy,
): ResourceState {
  const errorState = { details: reason, lastUpdateAttempt: at, ...rejection };
  const kept = policy.failOnDataErrors ? requested(previous, at) : keepBody(previous, policy, at);
  const ambient = isAmbient(kept, policy) ? { ambientError: ambientOf('INVALID_ARGUMENT', reason, at) } : {};
  return { ...kept, clientStatus: 'NACKED', errorState, ...ambient };
}

/**
 * The server has deleted the resource: it is absent from a complete response, or listed as removed. Before gRFC A88 (A53)
 * the cached body is dropped unless ignore_resource_deletion is set; since A88 it is kept unless fail_on_data_errors is set.
 */
export function deleted(previous: ResourceState, at: EpochMs, policy: ErrorPolicy): ResourceState {
  const isCached = previous.hash !== null;
  const details = 'the server does not have this resource any more';
  if (policy.model === 'pre-a88') {
    if (!isCached || !policy.ignoreResourceDeletion) return doesNotExist(previous, at);
    return { ...previous, ambientError: ambientOf('NOT_FOUND', details, at), changedAt: at };
  }
  const keeps = isCached && !policy.failOnDataErrors;
  const errorState = { details, versionInfo: '', lastUpdateAttempt: at, failedHash: null };
  if (!keeps) return { ...doesNotExist(previous, at), errorState };
  const ambientError = ambientOf('NOT_FOUND', details, at);
  return { ...previous, clientStatus: 'DOES_NOT_EXIST', errorState, ambientError, changedAt: at };
}

/** The resource does not exist. Without `details` there is no error state. */
export function doesNotExist(key: ResourceKey, at: EpochMs, details = ''): ResourceState {
  const errorState =
    details === '' ? null : { details, versionInfo: '', lastUpdateAttempt: at, failedHash: null };
  return { ...requested(key, at), clientStatus: 'DOES_NOT_EXIST', errorState };
}

/**
 * The resource timer has expired. gRFC A88 adds the reason; with resource_timer_is_transient_error the server counts as
 * slow, and the resource as not yet known.
 */
export function timedOut(
  key: ResourceKey,
  waitedMs: number,
  at: EpochMs,
  policy: ErrorPolicy,
): ResourceState {
  if (policy.model === 'pre-a88') return doesNotExist(key, at);
  const state = doesNotExist(key, at, `the server did not send it within ${waitedMs / 1000} s`);
  return policy.timerIsTransient ? { ...state, clientStatus: 'TIMEOUT' } : state;
}

export interface ReportedError {
  readonly code: string;
  readonly message: string;
}

/**
 * The server reports why it does not send the resource (TP3, resource_errors). NOT_FOUND and PERMISSION_DENIED are errors of
 * the data, other codes are transient.
 */
export function receivedError(
  previous: ResourceState,
  { code, message }: ReportedError,
  at: EpochMs,
  policy: ErrorPolicy,
): ResourceState {
  const details = message === '' ? code : `${code}: ${message}`;
  const isDataError = code === 'NOT_FOUND' || code === 'PERMISSION_DENIED';
  const errorState = { details, versionInfo: '', lastUpdateAttempt: at, failedHash: null };
  const drops = isDataError && policy.failOnDataErrors;
  const kept = drops ? requested(previous, at) : keepBody(previous, policy, at);
  const ambient = isAmbient(kept, policy) ? { ambientError: ambientOf(code, message, at) } : {};
  return { ...kept, clientStatus: 'RECEIVED_ERROR', errorState, ...ambient };
}

/**
 * No server of the authority can be reached. A cached body stays in effect: before gRFC A88 (A57) without any error, since
 * then with an ambient error. Without a cached body the resource is in error.
 */
export function unreachable(
  previous: ResourceState,
  details: string,
  at: EpochMs,
  policy: ErrorPolicy,
): ResourceState {
  if (previous.hash === null) {
    if (previous.clientStatus !== 'REQUESTED') return previous;
    const errorState = { details, versionInfo: '', lastUpdateAttempt: at, failedHash: null };
    return { ...previous, errorState, changedAt: at };
  }
  if (policy.model === 'pre-a88' || previous.ambientError !== undefined) return previous;
  return { ...previous, ambientError: ambientOf('UNAVAILABLE', details, at), changedAt: at };
}

/** Reverts unreachable() when a server answers again. */
export function reachable(previous: ResourceState, at: EpochMs): ResourceState {
  if (previous.clientStatus === 'REQUESTED') return requested(previous, at);
  if (previous.ambientError?.code !== 'UNAVAILABLE') return previous;
  const { ambientError: _, ...rest } = previous;
  return { ...rest, changedAt: at };
}

function keepBody(previous: ResourceState, { model }: ErrorPolicy, at: EpochMs): ResourceState {
  if (model === 'a88') return { ...previous, changedAt: at };
  const { ambientError: _, ...rest } = previous;
  return { ...rest, changedAt: at };
}

function isAmbient({ hash }: ResourceState, { model }: ErrorPolicy): boolean {
  return hash !== null && model === 'a88';
}

function ambientOf(
  code: string,
  details: string,
  since: EpochMs,
): NonNullable<ResourceState['ambientError']> {
  return { code, details, since };
}
