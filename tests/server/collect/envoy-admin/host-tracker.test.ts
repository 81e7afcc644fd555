import { describe, expect, it } from 'vitest';
import type { ConnectionFigures } from '@/lib/observation/connection';
import { unpackFigures } from '@/lib/observation/packed-figures';
import type { HostReport } from '@/server/codec/dump-parser/read-hosts';
import { HostTracker } from '@/server/collect/envoy-admin/host-tracker';

function counts(callsStarted: number, failedConnections = 0, openStreams = 0): ConnectionFigures {
  return {
    ...{ callsStarted, callsSucceeded: callsStarted, callsFailed: 0, lastCallStartedAt: null },
    ...{ openStreams, callsPerSecond: null },
    ofHost: ofHost(failedConnections),
  };
}

function ofHost(failedConnections: number) {
  return {
    ...{ openConnections: 1, connections: 1 + failedConnections, failedConnections, timeouts: 0 },
    successRate: null,
  };
}

function host(more: Partial<HostReport> = {}): HostReport {
  return {
    ...{ id: 'host cart', cluster: 'cart', address: '10.0.0.1:80', locality: null },
    ...{ state: 'HEALTHY', isMeasured: false, reason: '', figures: counts(0) },
    ...more,
  };
}

/** The state, since when, and since when it fails, after each poll, one a second. */
function follow(...polls: Partial<HostReport>[]) {
  const tracker = new HostTracker();
  return polls.map((more, index) => {
    const { changes } = tracker.update({ hosts: [host(more)] }, 1_000 * (index + 1)) ?? {};
    const [found] = changes?.connections ?? [];
    return found && [found.state, found.since, found.failingSince ?? null];
  });
}

describe('the hosts of an Envoy', () => {
  it('are complete first, and then only what changes: counts are no change', () => {
    const tracker = new HostTracker();
    expect(tracker.update({ hosts: [host()] }, 1_000)).toMatchObject({
      changes: { isComplete: true, connections: [{ state: 'HEALTHY', isSinceFirstPoll: true }] },
      hasTraffic: false,
    });
    const second = tracker.update({ hosts: [host({ figures: counts(10) })] }, 2_000);
    expect(second).toMatchObject({ hasTraffic: true });
    expect(second?.changes).toBeUndefined();
    expect(second && unpackFigures(second.figures).get('host cart')).toMatchObject({
      callsStarted: 10,
      callsPerSecond: 10,
    });
    expect(tracker.update({ hosts: [] }, 3_000)?.changes).toMatchObject({ endedIds: ['host cart'] });
  });

  it('are ejected, and return', () => {
    const ejected = { state: 'EJECTED', isMeasured: true } as const;
    expect(follow({}, ejected, ejected, {})).toEqual([
      ['HEALTHY', 1_000, null],
      ['EJECTED', 2_000, 2_000],
      undefined,
      ['HEALTHY', 4_000, null],
    ]);
  });

  it('do not fail because EDS states that they are unhealthy', () => {
    expect(follow({ state: 'UNHEALTHY' })).toEqual([['UNHEALTHY', 1_000, null]]);
  });

  it('fail to connect from the first failed attempt until a request is sent to them', () => {
    const polls = [counts(5), counts(5, 1), counts(5, 1), counts(5, 4), counts(6, 4)];
    expect(follow(...polls.map((figures) => ({ figures })))).toEqual([
      ['HEALTHY', 1_000, null],
      ['CONNECT_FAILURE', 2_000, 2_000],
      undefined,
      undefined,
      ['HEALTHY', 5_000, null],
    ]);
  });

  it.each([
    ['requests were sent since', counts(9, 1), 'HEALTHY'],
    ['a request is open', counts(5, 1, 1), 'HEALTHY'],
    ['nothing was sent', counts(5, 1), 'CONNECT_FAILURE'],
  ])('with a failed attempt, if %s', (_, figures, state) => {
    const [, second] = follow({ figures: counts(5) }, { figures });
    expect(second?.[0] ?? 'HEALTHY').toBe(state);
  });

  it('have failed to connect before the first poll if no request was ever sent to them', () => {
    expect(follow({ figures: counts(0, 2) })).toEqual([['CONNECT_FAILURE', 1_000, 1_000]]);
    expect(follow({ figures: counts(7, 2) })).toEqual([['HEALTHY', 1_000, null]]);
  });

  it('fail to connect while no connection has succeeded, although requests of Redis are counted before', () => {
    const of = (failed: number) => ({
      figures: { ...counts(13), ofHost: { ...ofHost(failed), connections: 13 } },
    });
    expect(follow(of(13))).toEqual([['CONNECT_FAILURE', 1_000, 1_000]]);
    expect(follow(of(12))).toEqual([['HEALTHY', 1_000, null]]);
  });

  it('are beside the sockets of its listeners, which are reported at other times', () => {
    const tracker = new HostTracker();
    const listener = { id: 'listener web', name: 'web', address: '0.0.0.0:80' };
    expect(tracker.update({ listeners: [listener] }, 1_000)).toBeUndefined();
    const ids = (news: ReturnType<HostTracker['update']>) => news?.changes?.connections.map(({ id }) => id);
    expect(ids(tracker.update({ hosts: [host()] }, 1_000))).toEqual(['host cart', 'listener web']);
    expect(tracker.update({ hosts: [host()] }, 2_000)?.changes).toBeUndefined();
    expect(tracker.update({ listeners: [] }, 3_000)?.changes?.endedIds).toEqual(['listener web']);
  });
});
