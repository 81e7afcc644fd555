import { describe, expect, it } from 'vitest';
import { readStatistics } from '@/server/collect/envoy-admin/read-statistics';
import { ServerTracker } from '@/server/collect/envoy-admin/server-tracker';

interface Counters {
  readonly attempts?: number;
  readonly failures?: number;
  readonly successes?: number;
  readonly connected?: 0 | 1;
}

function statistics({ attempts = 1, failures = 0, successes = 0, connected }: Counters) {
  return readStatistics(
    [
      `cluster_manager.cds.update_attempt: ${attempts}`,
      `cluster_manager.cds.update_failure: ${failures}`,
      `cluster_manager.cds.update_success: ${successes}`,
      ...(connected === undefined ? [] : [`control_plane.connected_state: ${connected}`]),
    ].join('\n'),
  );
}

/** The state after each poll, one every 5 seconds. */
function follow(...polls: readonly Counters[]): (string | undefined)[] {
  const tracker = new ServerTracker();
  return polls.map((counters, index) => {
    tracker.read(statistics(counters), 5_000 * index);
    return tracker.now && `${tracker.now.state} since ${tracker.now.since}`;
  });
}

describe('the management server of an Envoy', () => {
  it('fails while connected_state is 0, with the statistics that show it', () => {
    const tracker = new ServerTracker();
    tracker.read(statistics({ connected: 0, attempts: 6, failures: 5 }), 1_000);
    expect(tracker.now).toEqual({
      ...{ state: 'TRANSIENT_FAILURE', since: 1_000 },
      error: 'control_plane.connected_state is 0; cluster_manager.cds.update_failure counts failed attempts',
    });
    const { now } = tracker;
    tracker.read(statistics({ connected: 0, attempts: 9, failures: 8 }), 6_000);
    expect(tracker.now, 'counts alone are no change').toBe(now);
  });

  it('goes on to fail while Envoy connects to an address that does not answer', () => {
    const states = follow(
      { connected: 0, failures: 1 },
      { connected: 1, failures: 1 },
      { connected: 1, failures: 2, attempts: 2 },
    );
    expect(states).toEqual(Array(3).fill('TRANSIENT_FAILURE since 0'));
  });

  it('is reached with the first response, or after 10 s without a failure', () => {
    expect(follow({ connected: 0 }, { connected: 1, successes: 1 })).toEqual([
      'TRANSIENT_FAILURE since 0',
      'READY since 5000',
    ]);
    expect(follow({ connected: 0 }, { connected: 1 }, { connected: 1 })).toEqual([
      ...['TRANSIENT_FAILURE since 0', 'TRANSIENT_FAILURE since 0'],
      'READY since 10000',
    ]);
  });

  it('is known of REST by its counters, since it has no connected_state', () => {
    expect(
      follow(
        {},
        { attempts: 2, failures: 1 },
        { attempts: 3, failures: 2 },
        { attempts: 4, failures: 2, successes: 1 },
      ),
    ).toEqual([
      undefined,
      'TRANSIENT_FAILURE since 5000',
      'TRANSIENT_FAILURE since 5000',
      'READY since 15000',
    ]);
  });

  it('is not known of an Envoy without one', () => {
    const tracker = new ServerTracker();
    tracker.read(readStatistics('server.uptime: 5'), 1_000);
    tracker.read(readStatistics('server.uptime: 10'), 6_000);
    expect(tracker.now).toBeUndefined();
  });

  it('begins anew with a restarted Envoy, whose counters are lower', () => {
    expect(
      follow({ connected: 1, attempts: 9, failures: 3 }, { connected: 1, attempts: 1, successes: 1 }),
    ).toEqual(['READY since 0', 'READY since 0']);
  });
});
