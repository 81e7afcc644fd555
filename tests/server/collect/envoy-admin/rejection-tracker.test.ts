import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  readAttempts,
  readStatistics,
  readWarmingStates,
  warmingStatesPath,
} from '@/server/collect/envoy-admin/read-statistics';
import { RejectionTracker } from '@/server/collect/envoy-admin/rejection-tracker';

interface Moment {
  readonly moment: string;
  readonly stats: string;
  readonly warmingStates: string;
}

const file = path.join(import.meta.dirname, '../../../fixtures/captures/envoy/story-1.40.0-stats.json');
const story: readonly Moment[] = JSON.parse(readFileSync(file, 'utf8'));

function shown(tracker: RejectionTracker): string[] {
  return tracker.rejected.map(({ typeUrl, name, verdict }) =>
    `${typeUrl.split('.').at(-1)} ${name} ${verdict}`.replace('  ', ' '),
  );
}

function read(tracker: RejectionTracker, stats: string, at: number): string[] {
  tracker.read(readStatistics(stats), at);
  return shown(tracker);
}

describe('the statistics of a real Envoy', () => {
  it('show each rejection until the next response is accepted', () => {
    const tracker = new RejectionTracker();
    const rejected = story.map(({ moment, stats }, at) => [moment, ...read(tracker, stats, at * 4_000)]);
    expect(rejected.filter(([, ...some]) => some.length > 0)).toEqual([
      ['02-nack-cluster-update', 'Cluster rejected'],
      ['03-nack-cluster-new-and-pgv', 'Cluster rejected'],
      ['06-nack-listener-update', 'Listener rejected'],
      ['07-nack-listener-new', 'Listener rejected'],
      ['09-nack-route', 'RouteConfiguration rt rejected'],
      [
        '11-nack-eds',
        'ClusterLoadAssignment c1 shared',
        'ClusterLoadAssignment c2 shared',
        'ClusterLoadAssignment c3 shared',
      ],
      ['13-nack-sds', 'Secret ca rejected'],
    ]);
    expect(tracker.earlier).toEqual([]);
  });

  it('distinguish a cluster that Envoy has rejected from one that warms', () => {
    const states = story.map(
      ({ moment, warmingStates }) => [moment, readWarmingStates(warmingStates)] as const,
    );
    const find = (wanted: string) => states.find(([moment]) => moment === wanted)?.[1];
    // Both are among dynamic_warming_clusters.
    expect(find('02-nack-cluster-update')?.get('c1')).toBe(0);
    expect(find('15-cluster-warming-forever')?.get('cw')).toBe(1);
  });
});

describe('a rejected response that the management server no longer serves', () => {
  const counters = (
    type: 'cds' | 'lds',
    success: number,
    rejected: number,
    attempts: number,
    failures = 0,
  ) => {
    const statistic = type === 'cds' ? 'cluster_manager.cds' : 'listener_manager.lds';
    const lines = { success, rejected, attempt: attempts, failure: failures };
    return Object.entries(lines)
      .map(([name, count]) => `${statistic}.update_${name}: ${count}`)
      .join('\n');
  };
  /** Each reading of an Envoy, whose uptime is the number of the reading. */
  const readAll = (...readings: readonly string[]) => {
    const tracker = new RejectionTracker();
    return readings.map((text, at) => {
      tracker.read(readStatistics(`${text}\nserver.uptime: ${at}`), at * 1_000);
      tracker.readAttempts(readAttempts(text));
      return [...shown(tracker), ...tracker.withdrawn.map((typeUrl) => `-${typeUrl.split('.').at(-1)}`)];
    });
  };

  it('with REST, attempts without a result show that it was withdrawn, as measured with Envoy 1.40', () => {
    const lds = [
      [1, 0, 6],
      [1, 2, 8],
      [1, 5, 11],
      [1, 5, 14],
      [1, 5, 16],
    ] as const;
    expect(
      readAll(...lds.map(([success, rejected, attempts]) => counters('lds', success, rejected, attempts))),
    ).toEqual([[], ['Listener rejected'], ['Listener rejected'], ['-Listener'], ['-Listener']]);
    const cds = [
      [1, 0, 6],
      [1, 3, 9],
      [1, 3, 10],
      [1, 3, 12],
      [1, 4, 13],
    ] as const;
    expect(
      readAll(...cds.map(([success, rejected, attempts]) => counters('cds', success, rejected, attempts))),
    ).toEqual([[], ['Cluster rejected'], ['Cluster rejected'], ['-Cluster'], ['Cluster rejected']]);
  });

  it('a cluster that is accepted because it is sent again is not withdrawn, as measured with Envoy 1.40', () => {
    const cds = [
      [1, 0, 4],
      [2, 1, 6],
      [2, 1, 7],
      [2, 1, 9],
      [2, 1, 13],
    ] as const;
    expect(
      readAll(...cds.map(([success, rejected, attempts]) => counters('cds', success, rejected, attempts))),
    ).toEqual([[], ['Cluster unclear'], ['Cluster unclear'], [], []]);
  });

  it('failed attempts, as of a management server that is down, show nothing', () => {
    const down = [
      [1, 0, 2, 0],
      [1, 1, 3, 0],
      [1, 1, 9, 6],
      [1, 1, 20, 17],
    ] as const;
    const found = readAll(
      ...down.map(([success, rejected, attempts, failures]) =>
        counters('lds', success, rejected, attempts, failures),
      ),
    );
    expect(found.at(-1)).toEqual(['Listener rejected']);
  });

  it('attempts of subscriptions whose names change are not read', () => {
    const tracker = new RejectionTracker();
    tracker.read(readStatistics('server.uptime: 1'), 0);
    const rejected = ['http.in.rds.vhds.r', 'http.in.rds.r', 'cluster_manager.odcds', 'cluster_manager.cds'];
    const text = rejected.map((statistic) => `${statistic}.update_rejected: 1`).join('\n');
    tracker.read(readStatistics(`${text}\nserver.uptime: 2`), 1_000);
    expect(tracker.polled).toEqual(['http.in.rds.r', 'cluster_manager.cds']);
  });
});

describe('RejectionTracker', () => {
  const rds = (rejected: number, success: number, uptime: number): string =>
    `http.in.rds.a_8080.update_rejected: ${rejected}
http.in.rds.a_8080.update_success: ${success}
server.uptime: ${uptime}`;

  it('concludes nothing from totals of an Envoy that has accepted responses as well', () => {
    const tracker = new RejectionTracker();
    expect(read(tracker, rds(3, 2, 100), 0)).toEqual([]);
    expect(tracker.earlier).toEqual(['http.in.rds.a_8080']);
    expect(read(tracker, rds(3, 3, 110), 10_000)).toEqual([]);
    expect(tracker.earlier).toEqual([]);
  });

  it('concludes a rejection if no response was ever accepted', () => {
    expect(read(new RejectionTracker(), rds(3, 0, 100), 0)).toEqual(['RouteConfiguration a_8080 rejected']);
  });

  it('does not take a restart for a rejection', () => {
    const tracker = new RejectionTracker();
    read(tracker, rds(0, 4, 1_000), 0);
    // The new process has rejected one response and accepted more of them, in an order that is not known.
    expect(read(tracker, rds(1, 5, 3), 10_000)).toEqual([]);
    const other = new RejectionTracker();
    const cds = (rejected: number, success: number): string =>
      `cluster_manager.cds.update_rejected: ${rejected}\ncluster_manager.cds.update_success: ${success}`;
    read(other, cds(0, 4), 0);
    expect(read(other, cds(1, 3), 10_000)).toEqual([]);
  });

  it('forgets a rejection when Envoy restarts, or the subscription ends', () => {
    const tracker = new RejectionTracker();
    read(tracker, rds(0, 4, 1_000), 0);
    expect(read(tracker, rds(1, 4, 1_010), 10_000)).toEqual(['RouteConfiguration a_8080 rejected']);
    expect(read(tracker, rds(1, 4, 1_020), 20_000)).toEqual(['RouteConfiguration a_8080 rejected']);
    expect(read(tracker, 'server.uptime: 1030', 30_000)).toEqual([]);
    read(tracker, rds(0, 4, 1_040), 40_000);
    read(tracker, rds(1, 4, 1_050), 50_000);
    expect(read(tracker, rds(0, 1, 5), 60_000)).toEqual([]);
  });

  it('keeps a rejection that an earlier process of xdscope saw, unless a response was accepted since or Envoy restarted', () => {
    const earlier = new RejectionTracker();
    read(earlier, rds(0, 4, 1_000), 0);
    read(earlier, rds(1, 4, 1_010), 10_000);
    const startedAgain = (stats: string, at = 60_000) => {
      const tracker = new RejectionTracker(earlier.rejected);
      return [read(tracker, stats, at), tracker.earlier, tracker.rejected[0]?.at];
    };
    const name = 'http.in.rds.a_8080';
    expect(startedAgain(rds(1, 4, 1_060))).toEqual([['RouteConfiguration a_8080 rejected'], [], 10_000]);
    // A control plane repeats the rejected response.
    expect(startedAgain(rds(9, 4, 1_060))).toEqual([['RouteConfiguration a_8080 rejected'], [], 10_000]);
    expect(startedAgain(rds(1, 5, 1_060))).toEqual([[], [name], undefined]);
    expect(startedAgain(rds(1, 4, 60), 3_600_000)).toEqual([[], [name], undefined]);
    expect(startedAgain('server.uptime: 1060')).toEqual([[], [], undefined]);
    // It is compared with the first statistics alone.
    const tracker = new RejectionTracker(earlier.rejected);
    read(tracker, rds(0, 1, 5), 3_600_000);
    expect(read(tracker, rds(1, 4, 10), 3_605_000)).toEqual(['RouteConfiguration a_8080 unclear']);
  });

  it('reports the order as unknown if a response was rejected and another accepted between two polls', () => {
    const tracker = new RejectionTracker();
    read(tracker, rds(0, 4, 100), 0);
    expect(read(tracker, rds(1, 5, 110), 10_000)).toEqual(['RouteConfiguration a_8080 unclear']);
    expect(read(tracker, rds(1, 6, 120), 20_000)).toEqual([]);
  });

  it('takes the accepted response for the newest if a control plane repeats rejected ones, and no more are rejected', () => {
    const tracker = new RejectionTracker();
    read(tracker, rds(0, 4, 100), 0);
    expect(read(tracker, rds(900, 4, 101), 1_000)).toEqual(['RouteConfiguration a_8080 rejected']);
    expect(read(tracker, rds(1_800, 5, 102), 2_000)).toEqual(['RouteConfiguration a_8080 unclear']);
    // Too early for another rejection.
    expect(read(tracker, rds(1_800, 5, 102), 2_005)).toEqual(['RouteConfiguration a_8080 unclear']);
    expect(read(tracker, rds(1_800, 5, 103), 3_000)).toEqual([]);
    expect(read(tracker, rds(2_700, 6, 104), 4_000)).toEqual(['RouteConfiguration a_8080 unclear']);
    expect(read(tracker, rds(3_600, 6, 105), 5_000)).toEqual(['RouteConfiguration a_8080 rejected']);
    expect(read(tracker, rds(3_601, 7, 106), 6_000)).toEqual(['RouteConfiguration a_8080 unclear']);
    expect(read(tracker, rds(3_601, 7, 107), 7_000)).toEqual([]);
  });

  it('names the cluster whose endpoints were rejected if the others in the response were accepted first', () => {
    const eds = (cluster: string, rejected: number, success: number): string =>
      `cluster.${cluster}.update_rejected: ${rejected}\ncluster.${cluster}.update_success: ${success}\n`;
    const tracker = new RejectionTracker();
    read(tracker, eds('a', 0, 1) + eds('b', 0, 1), 0);
    expect(read(tracker, eds('a', 1, 2) + eds('b', 1, 1), 1)).toEqual(['ClusterLoadAssignment b rejected']);
    expect(read(tracker, eds('a', 1, 3) + eds('b', 1, 2), 2)).toEqual([]);
  });

  it('counts a cluster among those that may be rejected if the old and the new one have counted the rejection', () => {
    const eds = (cluster: string, rejected: number, success: number): string =>
      `cluster.${cluster}.update_rejected: ${rejected}\ncluster.${cluster}.update_success: ${success}\n`;
    const tracker = new RejectionTracker();
    read(tracker, eds('a', 1, 1) + eds('b', 1, 2), 0);
    expect(read(tracker, eds('a', 2, 1) + eds('b', 3, 3), 1)).toEqual([
      'ClusterLoadAssignment a shared',
      'ClusterLoadAssignment b shared',
    ]);
  });
});

it('a request for warming states quotes names, and is bounded', () => {
  expect(decodeURIComponent(warmingStatesPath(['out|80||a.b']))).toBe(
    String.raw`/stats?filter=^cluster\.(?:out\|80\|\|a\.b)\.warming_state$`,
  );
  const many = Array.from({ length: 10_000 }, (_, index) => `cluster-${index}`);
  expect(warmingStatesPath(many).length).toBeLessThan(7_000);
  expect(warmingStatesPath([])).toBe('');
});
