import { describe, expect, test } from 'vitest';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { ErrorModel } from '@/lib/xds/probe-choices';
import { CDS } from '@/lib/xds/resource-type';
import {
  accepted,
  deleted,
  reachable,
  receivedError,
  rejected,
  requested,
  timedOut,
  unreachable,
} from '@/server/collect/xds/client/resource-state';
import { errorPolicyOf, resourceTimeoutMs } from '@/server/collect/xds/stream/error-policy';

const key = { typeUrl: CDS.typeUrl, name: 'cart' };
const absent = requested(key, 1);
const cached = accepted(key, { versionInfo: '1', hash: 'h1', sizeBytes: 3 }, 1);
const rejection = { reason: 'bad', versionInfo: '2', failedHash: 'h2' };

const policyOf = (model: ErrorModel, ...features: string[]) =>
  errorPolicyOf(model, { features: new Set(features) });
const pre = policyOf('pre-a88');
const ignoring = policyOf('pre-a88', 'ignore_resource_deletion');
const a88 = policyOf('a88');
const failing = policyOf('a88', 'fail_on_data_errors');

type Event = (state: ResourceState, policy: typeof pre) => ResourceState;
const lost: Event = (state, policy) => unreachable(state, 'no route', 2, policy);
const nack: Event = (state, policy) => rejected(state, rejection, 2, policy);
const deletion: Event = (state, policy) => deleted(state, 2, policy);
const timer: Event = (state, policy) => timedOut(state, resourceTimeoutMs(policy), 2, policy);
const reported =
  (code: string): Event =>
  (state, policy) =>
    receivedError(state, { code, message: 'no' }, 2, policy);

/**
 * Returns the kind of error that a watcher is notified of: none, one that ends the use of the resource, or an ambient
 * one.
 */
function notificationOf(before: ResourceState, after: ResourceState): 'none' | 'error' | 'ambient' {
  if (after.ambientError !== undefined && before.ambientError === undefined) return 'ambient';
  return before.hash !== null && after.hash !== null ? 'none' : 'error';
}

/** The rows of xds-semantics 1.13: event, state before, policy; status, body in use, notification. */
test.each([
  ['connectivity', lost, absent, 'pre-A88', pre, 'REQUESTED', false, 'error'],
  ['connectivity', lost, absent, 'A88', a88, 'REQUESTED', false, 'error'],
  ['connectivity', lost, cached, 'pre-A88', pre, 'ACKED', true, 'none'],
  ['connectivity', lost, cached, 'A88', a88, 'ACKED', true, 'ambient'],
  ['connectivity', lost, cached, 'A88 failing', failing, 'ACKED', true, 'ambient'],
  ['rejection', nack, absent, 'pre-A88', pre, 'NACKED', false, 'error'],
  ['rejection', nack, absent, 'A88', a88, 'NACKED', false, 'error'],
  ['rejection', nack, cached, 'pre-A88', pre, 'NACKED', true, 'none'],
  ['rejection', nack, cached, 'A88', a88, 'NACKED', true, 'ambient'],
  ['rejection', nack, cached, 'A88 failing', failing, 'NACKED', false, 'error'],
  ['timer', timer, absent, 'pre-A88', pre, 'DOES_NOT_EXIST', false, 'error'],
  ['timer', timer, absent, 'A88', a88, 'DOES_NOT_EXIST', false, 'error'],
  ['deletion', deletion, cached, 'pre-A88', pre, 'DOES_NOT_EXIST', false, 'error'],
  ['deletion', deletion, cached, 'pre-A88 ignoring', ignoring, 'ACKED', true, 'ambient'],
  ['deletion', deletion, cached, 'A88', a88, 'DOES_NOT_EXIST', true, 'ambient'],
  ['deletion', deletion, cached, 'A88 failing', failing, 'DOES_NOT_EXIST', false, 'error'],
  ['deletion', deletion, absent, 'A88', a88, 'DOES_NOT_EXIST', false, 'error'],
  ['NOT_FOUND', reported('NOT_FOUND'), absent, 'A88', a88, 'RECEIVED_ERROR', false, 'error'],
  ['NOT_FOUND', reported('NOT_FOUND'), cached, 'A88', a88, 'RECEIVED_ERROR', true, 'ambient'],
  ['NOT_FOUND', reported('NOT_FOUND'), cached, 'A88 failing', failing, 'RECEIVED_ERROR', false, 'error'],
  ['PERMISSION_DENIED', reported('PERMISSION_DENIED'), cached, 'A88', a88, 'RECEIVED_ERROR', true, 'ambient'],
  [
    'PERMISSION_DENIED',
    reported('PERMISSION_DENIED'),
    cached,
    'A88 failing',
    failing,
    'RECEIVED_ERROR',
    false,
    'error',
  ],
  ['INTERNAL', reported('INTERNAL'), absent, 'A88', a88, 'RECEIVED_ERROR', false, 'error'],
  ['INTERNAL', reported('INTERNAL'), cached, 'A88', a88, 'RECEIVED_ERROR', true, 'ambient'],
  ['INTERNAL', reported('INTERNAL'), cached, 'A88 failing', failing, 'RECEIVED_ERROR', true, 'ambient'],
] as const)('%s: %#', (_what, event, before, _model, policy, clientStatus, isInUse, notification) => {
  const after = event(before, policy);
  expect({
    clientStatus: after.clientStatus,
    isInUse: after.hash !== null,
    notification: notificationOf(before, after),
  }).toEqual({ clientStatus, isInUse, notification });
});

describe('a resource', () => {
  test('that was rejected keeps body and version of the last accepted one, and has the rejection as its error', () => {
    expect(rejected(cached, rejection, 2, pre)).toEqual({
      ...cached,
      clientStatus: 'NACKED',
      errorState: { details: 'bad', versionInfo: '2', lastUpdateAttempt: 2, failedHash: 'h2' },
      changedAt: 2,
    });
  });

  test('is TIMEOUT after 30 s if the timer is a transient error', () => {
    const slow = policyOf('a88', 'resource_timer_is_transient_error');
    expect(timer(absent, slow)).toMatchObject({
      clientStatus: 'TIMEOUT',
      errorState: { details: expect.stringContaining('30 s') },
    });
    expect(resourceTimeoutMs(policyOf('pre-a88', 'resource_timer_is_transient_error'))).toBe(15_000);
  });

  test('loses the error of unreachable servers when one of them responds', () => {
    expect(reachable(lost(cached, a88), 3)).toEqual({ ...cached, changedAt: 3 });
    expect(reachable(lost(absent, pre), 3)).toEqual({ ...absent, changedAt: 3 });
    const gone = deletion(cached, a88);
    expect(reachable(gone, 3)).toBe(gone);
  });

  test('keeps its own error when its servers become unreachable', () => {
    const gone = deletion(cached, a88);
    expect(lost(gone, a88)).toBe(gone);
  });

  test('has no error after it is accepted', () => {
    const again = accepted(key, { versionInfo: '3', hash: 'h3', sizeBytes: 3 }, 4);
    expect(again).toMatchObject({ clientStatus: 'ACKED', errorState: null });
    expect(again.ambientError).toBeUndefined();
  });
});
