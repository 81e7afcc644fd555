import { describe, expect, it } from 'vitest';
import { noRequests, packRequests, unpackRequests } from '@/lib/observation/packed-requests';
import { RequestWindows } from '@/server/collect/poll-diff/request-windows';

const minute = 60_000;
const counted = (completed: number, failed: number, id = 'cart', name = id) => ({
  ...{ id, name },
  counts: { ...noRequests, completed, failed },
});

/** As in "0: 1 of 10 since 5000", for each minute of the name after the last poll. */
function minutesOf(
  polls: readonly (readonly [at: number, ...ReturnType<typeof counted>[]])[],
  name = 'cart',
) {
  const windows = new RequestWindows();
  let packed = windows.count([], -1);
  for (const [at, ...all] of polls) packed = windows.count(all, at);
  return (unpackRequests(packed).failing.get(name) ?? []).map(
    ({ from, counts, failedAt }) =>
      `${from / minute}: ${counts.failed} of ${counts.completed} since ${failedAt}`,
  );
}

describe('the connections to a cluster without requests', () => {
  const overTcp = (completed: number, failed: number) => ({
    ...counted(completed, failed, 'connections cart', 'cart'),
    isOverTcp: true as const,
  });

  it('count apart, and no more once the cluster has a request', () => {
    const windows = new RequestWindows();
    windows.count([], 0);
    const first = unpackRequests(windows.count([overTcp(5, 4)], 1_000));
    expect([[...first.overTcp], first.all.length, first.allConnections.length]).toEqual([['cart'], 0, 1]);
    expect(first.failing.get('cart')).toMatchObject([{ counts: { completed: 5, failed: 4 } }]);
    const then = unpackRequests(windows.count([counted(3, 1)], 2_000));
    expect([[...then.overTcp], then.all.length, then.allConnections.length]).toEqual([[], 1, 1]);
    expect(then.failing.get('cart')).toMatchObject([{ counts: { completed: 3, failed: 1 } }]);
  });
});

describe('requests that ended while none was completed', () => {
  const sent = (completed: number, ended: number, active: number, reset = ended) => ({
    ...counted(completed, 0),
    sent: { ended, active, reset },
  });

  it('had no answer, except those that may have been answered before', () => {
    const windows = new RequestWindows();
    windows.count([sent(0, 0, 0)], 0);
    windows.count([sent(0, 10, 1)], 1_000);
    windows.count([sent(1, 10, 2)], 2_000);
    const { failing, all } = unpackRequests(windows.count([sent(1, 20, 0)], 3_000));
    const counts = { ...noRequests, completed: 20, failed: 19, unanswered: 19 };
    expect(failing.get('cart')).toMatchObject([{ counts }]);
    expect(all).toMatchObject([{ counts }]);
  });

  it('had no answer if one of them is active at each poll', () => {
    const polls = [...Array(20).keys()].map((ended) => [ended * 500, sent(0, ended, 1)] as const);
    expect(minutesOf(polls)).toEqual(['0: 19 of 19 since 500']);
    // The stream of a request that was answered stays.
    const beside = polls.map(([at, each]) => [at, { ...each, ...counted(1, 0) }] as const);
    expect(minutesOf(beside)).toEqual(['0: 18 of 19 since 1000']);
  });

  it('are not known to have had none if the cluster is the leaf of an aggregate, which completes them', () => {
    expect(
      minutesOf([
        [0, sent(0, 0, 0)],
        [1_000, sent(0, 20, 0, 0)],
        [2_000, sent(0, 21, 0, 1)],
      ]),
    ).toEqual([]);
  });

  it('had one if others were completed since the poll before, or if the counters of sent ones are not reported', () => {
    expect(
      minutesOf([
        [0, sent(0, 0, 0)],
        [1_000, sent(1, 20, 0)],
        // Streams end whose headers were counted before.
        [2_000, sent(3, 20, 2)],
        [3_000, sent(3, 22, 0)],
        // A host ends its answer.
        [3_500, sent(3, 25, 0, 22)],
        [4_000, counted(3, 0)],
      ]),
    ).toEqual([]);
  });
});

describe('the requests of each minute', () => {
  it('leave out what was counted before the first poll', () => {
    const windows = new RequestWindows();
    const first = unpackRequests(windows.count([counted(261, 160)], 0));
    expect([first.failing.size, first.all]).toEqual([0, []]);
    const { failing } = unpackRequests(windows.count([counted(271, 165)], 5_000));
    expect(failing.get('cart')).toEqual([
      { from: 0, counts: { ...noRequests, completed: 10, failed: 5 }, failedAt: 5_000 },
    ]);
  });

  it('are those between two polls, in the minute of the second one', () => {
    expect(
      minutesOf([
        [1_000, counted(10, 1)],
        [30_000, counted(20, 1)],
        [61_000, counted(30, 6)],
      ]),
    ).toEqual(['0: 1 of 20 since 1000', '1: 5 of 10 since 61000']);
  });

  it('add up the channels to one target, also of one that has ended', () => {
    expect(
      minutesOf([
        [1_000, counted(4, 1, 'channel 1', 'cart'), counted(6, 2, 'channel 2', 'cart')],
        [2_000, counted(8, 3, 'channel 2', 'cart')],
      ]),
    ).toEqual(['0: 4 of 12 since 1000']);
  });

  it('begin anew with the counters of a restarted process', () => {
    expect(
      minutesOf([
        [1_000, counted(100, 50)],
        [2_000, counted(4, 2)],
      ]),
    ).toEqual(['0: 52 of 104 since 1000']);
  });

  it('begin anew with counters that have passed their earlier values, by the time at which they began', () => {
    const startedAt = (at: number, completed: number, failed: number) => ({
      ...counted(completed, failed),
      startedAt: at,
    });
    expect(
      minutesOf([
        [1_000, startedAt(500, 10, 5)],
        [2_000, startedAt(1_500, 20, 8)],
      ]),
    ).toEqual(['0: 13 of 30 since 1000']);
    const windows = new RequestWindows();
    windows.count([counted(10, 5)], 1_000);
    const { failing, restartedAt } = unpackRequests(windows.count([counted(20, 8)], 2_000, true));
    expect([failing.get('cart')?.[0]?.counts.failed, restartedAt]).toEqual([8, 2_000]);
  });

  it('are kept for an hour, if one of them failed', () => {
    const polls = [...Array(70).keys()].map(
      (index) => [index * minute, counted(index, index === 2 ? 1 : 0)] as const,
    );
    const failedOnce = polls.map(
      ([at, { counts }]) => [at, counted(counts.completed, at >= 2 * minute ? 1 : 0)] as const,
    );
    expect(minutesOf(failedOnce.slice(0, 60))).toHaveLength(59);
    expect(minutesOf(failedOnce)).toEqual([]);
  });
});

it('lists the newest minute of what no request failed to, apart from what failed', () => {
  const windows = new RequestWindows();
  windows.count([], 0);
  windows.count([counted(5, 0), counted(5, 1, 'users')], 1_000);
  const packed = windows.count([counted(9, 0), counted(9, 1, 'users')], minute);
  const { served, failing } = unpackRequests(packed);
  const newest = { from: minute, counts: { ...noRequests, completed: 4 }, failedAt: undefined };
  expect([[...served], [...failing.keys()]]).toEqual([[['cart', newest]], ['users']]);
});

it('survive being packed', () => {
  const causes = { overflow: 1, noHost: 2, connectFailure: 3, timeout: 4, unanswered: 5 };
  const counts = { completed: 9, failed: 5, ...causes };
  const minutes = [
    { from: 0, counts, failedAt: 7 },
    { from: minute, counts: noRequests, failedAt: undefined },
  ];
  const served = new Map([['search', { from: minute, counts: noRequests, failedAt: undefined }]]);
  const all = {
    ...{ failing: new Map([['cart', minutes]]), served, all: minutes.slice(0, 1), restartedAt: 9 },
    ...{ overTcp: new Set(['cart']), allConnections: minutes.slice(1) },
  };
  expect(unpackRequests(packRequests(all))).toEqual(all);
});
