import { expect, it, onTestFinished } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { CsdsPoller } from '@/server/collect/csds/poll';
import { PollBudget } from '@/server/collect/poll-diff/poll-budget';
import { type Clock, systemClock } from '@/server/observe';
import { addPoll, noCost, pollLimits } from '@/server/source-cost';
import type { SourceStatus } from '@/server/source-status';
import { clientWithClusters, csdsAnswer, startCsdsServer } from '@/tests/support/csds-server';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { waitUntil } from '@/tests/support/wait-until';

/** Polls a real CSDS server by a clock that runs so many times as fast; returns the delays between its polls as well. */
async function pollBy(speed: number, intervalMs: number, limits?: typeof pollLimits) {
  const redactionKey = Buffer.from('tests');
  const codec = createCodec({ redactionKey });
  const server = await startCsdsServer(() => csdsAnswer({ config: [clientWithClusters('a', { c: '1' })] }));
  const startedAt = systemClock.now();
  const clock: Clock = {
    now: () => startedAt + (systemClock.now() - startedAt) * speed,
    setTimeout: (callback, delayMs) => systemClock.setTimeout(callback, delayMs / speed),
  };
  const statuses: SourceStatus[] = [];
  const poller = new CsdsPoller({
    ...{
      sourceId: 'csds:a',
      target: server.target.text,
      intervalMs,
      // A minute of the real clock.
      deadlineMs: 60_000 * speed,
      clock,
      codec,
    },
    ...(limits !== undefined && { budget: new PollBudget(clock, limits) }),
    ...{ observe: () => undefined, random: () => 0.5, onStatus: (status) => statuses.push(status) },
  });
  onTestFinished(() => codec.close());
  onTestFinished(() => server.close());
  onTestFinished(() => poller.close());
  poller.start();
  return { poller, statuses };
}

it('rests after polls that take long, not after the first one alone, and states what was expected', async () => {
  const { poller, statuses } = await pollBy(1_000_000, 1_000);
  const slowed = () => statuses.flatMap(({ cost }) => cost?.slowed ?? [])[0];
  await waitUntil('polls rest', slowed);
  expect(statuses.find(({ cost }) => (cost?.slowed.length ?? 0) > 0)?.cost?.polls).toBeGreaterThan(1);
  const { what, tookMs = 0, expectedMs = 0, delayMs = 0 } = slowed() ?? {};
  expect(what).toBe('poll');
  expect(tookMs).toBeGreaterThan(expectedMs);
  expect(expectedMs).toBeLessThanOrEqual(1_000 / 3);
  expect(delayMs).toBe(3 * tookMs);
  expect(poller.status.state).toBe('up');
});

it('polls no faster than the limits of all sources together allow, and states it', async () => {
  const { statuses } = await pollBy(1, 20, { ...pollLimits, requestsPerSecond: 0.01 });
  const slowed = () =>
    statuses.flatMap(({ cost }) => cost?.slowed ?? []).find(({ what }) => what === 'all polls');
  await waitUntil('polls reach the limits', slowed);
  expect(slowed()?.delayMs).toBeGreaterThan(10_000);
});

it('gives sources that poll in turn delays at which they stay within the limits together', () => {
  const clock = new ManualClock();
  const budget = new PollBudget(clock, { requestsPerSecond: 10, bytesPerSecond: 1_000 });
  const poll = { requests: 1, bytes: 10, tookMs: 1 };
  expect([poll, poll, poll].map((each) => budget.delayAfter(each))).toEqual([0, 100, 200]);
  expect(budget.delayAfter({ ...poll, bytes: 500 })).toBe(300);
  // 500 bytes take half a second of the limit.
  expect(budget.delayAfter(poll)).toBe(800);
  clock.advance(2_000);
  expect(budget.delayAfter(poll)).toBe(0);
});

it('counts the polls of a source, with the newest and the largest one', () => {
  const polls = [
    { requests: 2, bytes: 500, tookMs: 30 },
    { requests: 1, bytes: 20, tookMs: 5 },
  ];
  const cost = { ...noCost, since: 1, polls: 0, newest: noCost, largest: noCost, slowed: [] };
  for (const poll of polls) addPoll(cost, poll);
  expect(cost).toEqual({
    ...{ since: 1, polls: 2, requests: 3, bytes: 520, tookMs: 35 },
    ...{ newest: polls[1], largest: polls[0], slowed: [] },
  });
});
