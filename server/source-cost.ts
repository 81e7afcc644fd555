import type { EpochMs } from '@/lib/xds/units';

/** What one poll cost its target. */
export interface PollCost {
  readonly requests: number;
  /** Of the answers, as far as they were received. */
  readonly bytes: number;
  /** The sum of the times from each request to the last byte of its answer. */
  readonly tookMs: number;
}

/** Requests that follow each other more slowly than their interval, because their answers take too long. */
export interface SlowedRequest {
  /** "poll", or the path of a document. */
  readonly what: string;
  /** Of polls: the shorter time of the two newest ones. */
  readonly tookMs: number;
  /** The longest time at which the interval holds. */
  readonly expectedMs: number;
  /** Until the next request. */
  readonly delayMs: number;
}

/** What the polls of one source have cost since `since`, when this process began to poll. */
export interface SourceCost extends PollCost {
  readonly since: EpochMs;
  readonly polls: number;
  readonly newest: PollCost;
  /** The poll with the most bytes. */
  readonly largest: PollCost;
  readonly slowed: readonly SlowedRequest[];
}

export const noCost: PollCost = { requests: 0, bytes: 0, tookMs: 0 };

export function addPoll(cost: SourceCost, poll: PollCost): SourceCost {
  return {
    ...sumOf(cost, poll),
    since: cost.since,
    slowed: cost.slowed,
    polls: cost.polls + 1,
    newest: poll,
    largest: poll.bytes > cost.largest.bytes ? poll : cost.largest,
  };
}

export function sumOf(a: PollCost, b: PollCost): PollCost {
  return { requests: a.requests + b.requests, bytes: a.bytes + b.bytes, tookMs: a.tookMs + b.tookMs };
}
