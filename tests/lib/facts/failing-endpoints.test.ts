import { expect, it } from 'vitest';
import { findFailing, findFailure } from '@/lib/facts/failing-endpoints';
import type { Connection } from '@/lib/observation/connection';

function host(state: Connection['state'], connections: number, failedConnections: number): Connection {
  return {
    ...{ id: 'host', kind: 'host', target: '10.0.0.1:80', channels: [], cluster: 'pay', since: 0, state },
    figures: {
      ...{ callsStarted: 12, callsSucceeded: 0, callsFailed: 12 },
      ...{ lastCallStartedAt: null, openStreams: null, callsPerSecond: null },
      ofHost: { openConnections: 0, connections, failedConnections, timeouts: null, successRate: null },
    },
  };
}

it.each([
  ['CONNECT_FAILURE', 40, 31, 'connection'],
  ['EJECTED', 31, 31, 'connection'],
  ['EJECTED', 31, 30, 'requests'],
  ['EJECTED', 0, 0, 'requests'],
] as const)(
  'a host that is %s, with %i connections, of which %i failed',
  (state, connections, failed, expected) => {
    const failing = findFailing([host(state, connections, failed)]);
    expect(findFailure(failing, 'pay', '10.0.0.1:80')).toBe(expected);
  },
);

it.each([
  ['errors that a circuit breaker caused beside a request in flight', 1, 0, 20, 1, undefined],
  ['as many errors as requests, some of which succeeded', 21, 20, 21, 0, undefined],
  ['errors of all that ended, and of a circuit breaker', 14, 0, 20, 2, 'requests'],
] as const)('a host with %s', (_, callsStarted, callsSucceeded, callsFailed, openStreams, expected) => {
  const each = host('HEALTHY', 1, 0);
  const figures = each.figures && { ...each.figures, callsStarted, callsSucceeded, callsFailed, openStreams };
  expect(findFailure(findFailing([{ ...each, figures }]), 'pay', '10.0.0.1:80')).toBe(expected);
});
