import { expect, it } from 'vitest';
import { describeCost, describePolling, describeSlowed } from '@/lib/views/sources/describe-cost';
import type { SourceCostShown } from '@/lib/views/sources/schema';

const cost: SourceCostShown = {
  ...{
    since: Date.parse('2026-01-01T00:00:00.000Z'),
    polls: 412,
    requests: 1_236,
    bytes: 3_600_000_000,
    tookMs: 28_800,
  },
  newest: { requests: 1, bytes: 900, tookMs: 4 },
  largest: { requests: 3, bytes: 12_000_000, tookMs: 800 },
  slowed: [],
};
const at = (hours: number) => cost.since + hours * 3_600_000;
const all = '412 polls in 2 h: 1,236 requests, 3.60 GB, 0.4% of the time.';

it('describes what polls cost their target', () => {
  expect(describeCost(cost, at(2))).toBe(
    `${all} Newest poll: 1 request, 900 B, 4 ms; largest: 3 requests, 12.0 MB, 800 ms.`,
  );
  expect(describeCost({ ...cost, largest: cost.newest }, at(2))).toBe(
    `${all} Newest poll: 1 request, 900 B, 4 ms.`,
  );
});

it('states the memory that an Envoy reports, and that it reports no CPU time', () => {
  const of = (memory: SourceCostShown['memory']) => describeCost({ ...cost, memory }, at(2));
  expect(of({ allocated: 5_000_000, physical: 90_000_000 })).toMatch(
    /Memory of the Envoy: 5\.00 MB allocated, 90\.0 MB physical; it does not report CPU time\.$/,
  );
  expect(of({})).toContain('Memory of the Envoy: not reported;');
});

it('states the memory and the CPU time that an istiod reports', () => {
  const memory = { allocated: 60_000_000, physical: 180_000_000 };
  const of = (cpu: SourceCostShown['cpu']) => describeCost({ ...cost, memory, cpu }, at(2));
  expect(of(null)).toMatch(
    /Memory of istiod: 60\.0 MB allocated, 180 MB physical; its CPU time is reported from the second reading on\.$/,
  );
  expect(of({ share: 0.031, overMs: 60_000 })).toMatch(
    /physical; 3\.1% of a CPU in the last 60 s, for all that it does\.$/,
  );
});

it('states no share above 100%, whatever the clocks are', () => {
  expect(describeCost(cost, at(-1))).toContain(
    '412 polls in 28 s: 1,236 requests, 3.60 GB, 100% of the time.',
  );
});

it.each([
  [
    'poll',
    'The two newest polls each took at least 2.4 s (expected at most 333 ms): the next poll follows after 7.2 s.',
  ],
  [
    '/config_dump',
    '/config_dump took 2.4 s (expected at most 333 ms): the next request follows after 7.2 s.',
  ],
])('states what was expected of a slow %s', (what, expected) => {
  expect(describeSlowed({ what, tookMs: 2_400, expectedMs: 333.3, delayMs: 7_200 })).toBe(expected);
});

it('states what all polls cost in a second, and their limits', () => {
  const limits = { requestsPerSecond: 2_000, bytesPerSecond: 100_000_000 };
  expect(describePolling({ requestsPerSecond: 1_000, bytesPerSecond: 50_000_000, limits })).toBe(
    'All polls: 1,000 requests and 50.0 MB per second (limits: 2,000 and 100 MB).',
  );
  expect(describePolling({ requestsPerSecond: 0.1, bytesPerSecond: 5_000.4, limits })).toContain(
    '0.1 requests and 5.00 kB',
  );
  const slowed = { what: 'all polls', tookMs: 1, expectedMs: 10, delayMs: 5_000 };
  expect(describeSlowed(slowed)).toBe(
    'The polls of all sources reach their limit: the next poll follows after 5 s.',
  );
});
