import type * as z from 'zod';
import type { pollCost, sourceCost } from '@/lib/views/sources/schema';

export type PollCost = Readonly<z.infer<typeof pollCost>>;
type Cost = z.infer<typeof sourceCost>;
/** The cost of the polls of one source since this process began to poll. */
export type SourceCost = Readonly<Omit<Cost, 'memory' | 'cpu'>>;
/** Requests that follow each other more slowly than their interval, because their answers take too long. */
export type SlowedRequest = SourceCost['slowed'][number];
/** The unit is bytes; null: not reported. */
export type TargetMemory = Readonly<NonNullable<Cost['memory']>>;
/** The CPU time between the two newest readings, as a share of one core. */
export type TargetCpu = Readonly<NonNullable<Cost['cpu']>>;

/** What the polls of all sources together may cost their targets. */
export const pollLimits = { requestsPerSecond: 2_000, bytesPerSecond: 100_000_000 };
/** The name of these limits among slowed requests. */
export const allPolls = 'all polls';

export const noCost: PollCost = { requests: 0, bytes: 0, tookMs: 0 };

/** Changes the cost in place, because copies for each of thousands of polls a second would cause much garbage. */
export function addPoll(cost: Omit<Cost, 'memory' | 'cpu'>, poll: PollCost): void {
  cost.requests += poll.requests;
  cost.bytes += poll.bytes;
  cost.tookMs += poll.tookMs;
  cost.polls += 1;
  cost.newest = poll;
  if (poll.bytes > cost.largest.bytes) cost.largest = poll;
}

export function sumOf(a: PollCost, b: PollCost): PollCost {
  return { requests: a.requests + b.requests, bytes: a.bytes + b.bytes, tookMs: a.tookMs + b.tookMs };
}
