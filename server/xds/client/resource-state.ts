import type { ResourceKey, ResourceState } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { ErrorPolicy } from '../stream/error-policy';

/**
 * The life of one resource in our cache: each function is one transition. A state with a hash has a body that is in
 * use; one that lost it was dropped. `ambientError` is gRFC A88's: trouble, but the body stays in use.
 */

/** Asked for, nothing heard yet. */
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

export interface AcceptedBody {
  readonly versionInfo: string;
  readonly hash: string;
  readonly sizeBytes: number;
  readonly apiVersion?: 'v2' | undefined;
  /** The name inside, where the resource was asked for by an alias. */
  readonly canonicalName?: string | undefined;
}

/** It came and decodes. */
export function accepted({ typeUrl, name }: ResourceKey, body: AcceptedBody, at: EpochMs): ResourceState {
  const { versionInfo, hash, sizeBytes, apiVersion, canonicalName } = body;
  // In one piece: this is the way of 100,000 at once.
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

export interface Rejection {
  readonly reason: string;
  readonly versionInfo: string;
  readonly failedHash: string | null;
}

/**
 * It came broken. gRFC A46: what was accepted before stays in use; so body and version stay the last good ones. (With
 * fail_on_data_errors, gRFC A88, it is dropped.)
 */
export function rejected(
  previous: ResourceState,
  { reason, versionInfo, failedHash }: Rejection,
  at: EpochMs,
  policy: ErrorPolicy,
): ResourceState {
  const errorState = { details: reason, versionInfo, lastUpdateAttempt: at, failedHash };
  const kept = policy.failOnDataErrors ? requested(previous, at) : inSpite(previous, policy, at);
  const ambient = isAmbient(kept, policy) ? { ambientError: ambientOf('INVALID_ARGUMENT', reason, at) } : {};
  return { ...kept, clientStatus: 'NACKED', errorState, ...ambient };
}

/**
 * The server had it and has it no more: absent from a full answer, or named as removed. Before gRFC A88 (A53) what was
 * cached is dropped, unless the server is to be distrusted (ignore_resource_deletion); since A88 it is kept, unless
 * fail_on_data_errors.
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

/** Dropped, without a word on why: gRFC A53, and a time to live that nobody renewed. */
export function doesNotExist(key: ResourceKey, at: EpochMs, details = ''): ResourceState {
  const errorState =
    details === '' ? null : { details, versionInfo: '', lastUpdateAttempt: at, failedHash: null };
  return { ...requested(key, at), clientStatus: 'DOES_NOT_EXIST', errorState };
}

/**
 * The resource timer ran out, and nothing was ever heard. gRFC A88 has a reason; and a server whose timer is a transient
 * error (resource_timer_is_transient_error) is slow, and has not said that there is no such resource.
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
  /** gRPC status code name. */
  readonly code: string;
  readonly message: string;
}

/**
 * The server says why it does not send it (TP3, resource_errors). NOT_FOUND and PERMISSION_DENIED are about the data,
 * other codes may pass.
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
  const kept = drops ? requested(previous, at) : inSpite(previous, policy, at);
  const ambient = isAmbient(kept, policy) ? { ambientError: ambientOf(code, message, at) } : {};
  return { ...kept, clientStatus: 'RECEIVED_ERROR', errorState, ...ambient };
}

/**
 * No server of the authority can be reached. What is cached stays in use: before gRFC A88 (A57) nobody hears of it,
 * since then as an ambient error. What is not cached is in error.
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

/** A server answers again: takes back what unreachable() said. */
export function reachable(previous: ResourceState, at: EpochMs): ResourceState {
  if (previous.clientStatus === 'REQUESTED') return requested(previous, at);
  if (previous.ambientError?.code !== 'UNAVAILABLE') return previous;
  const { ambientError: _, ...rest } = previous;
  return { ...rest, changedAt: at };
}

function inSpite(previous: ResourceState, { model }: ErrorPolicy, at: EpochMs): ResourceState {
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
