import type { EpochMs } from '../xds/units';
import { type ClientOutcome, isStuckOutcome, type OutcomeKind, outcomeKinds } from './decide-client';

export const percents = [50, 95, 99] as const;

/** The range of a client's time to accept, in milliseconds from the first observation. Polls report a range only. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Percentile {
  readonly percent: (typeof percents)[number];
  /** Among the clients that accepted; null if none has. */
  readonly ofAccepted: TimeSpan | null;
  /** Among all counted clients; null if it is not reached, since too many clients are stuck. */
  readonly ofAll: TimeSpan | null;
}

export interface SpreadStep {
  readonly afterMs: number;
  readonly clients: number;
}

export interface Spread {
  readonly total: number;
  readonly accepted: number;
  readonly counts: Readonly<Record<OutcomeKind, number>>;
  /** Clients that have certainly accepted by a time, oldest first. */
  readonly sure: readonly SpreadStep[];
  /** Clients that may have accepted by a time, since polls report late. Equal to `sure` without polls. */
  readonly possible: readonly SpreadStep[];
  readonly percentiles: readonly Percentile[];
}

const mostSteps = 400;

export function buildSpread(outcomes: readonly ClientOutcome[], firstAt: EpochMs): Spread {
  const counts = Object.fromEntries(outcomeKinds.map((kind) => [kind, 0])) as Record<OutcomeKind, number>;
  const latest: number[] = [];
  const earliest: number[] = [];
  let total = 0;
  for (const outcome of outcomes) {
    counts[outcome.kind] += 1;
    if (outcome.kind !== 'accepted' && !isStuckOutcome(outcome)) continue;
    total += 1;
    if (outcome.kind !== 'accepted') continue;
    const at = outcome.at ?? firstAt;
    latest.push(Math.max(0, at - firstAt));
    earliest.push(Math.max(0, (outcome.earliestAt ?? at) - firstAt));
  }
  latest.sort((a, b) => a - b);
  earliest.sort((a, b) => a - b);
  // The k-th smallest lies between the k-th smallest lower and the k-th smallest upper bound.
  const spanAt = (rank: number): TimeSpan | null => {
    const [fromMs, toMs] = [earliest[rank - 1], latest[rank - 1]];
    return fromMs === undefined || toMs === undefined ? null : { fromMs, toMs };
  };
  return {
    total,
    accepted: latest.length,
    counts,
    sure: stepsOf(latest),
    possible: stepsOf(earliest),
    percentiles: percents.map((percent) => ({
      percent,
      ofAccepted: spanAt(Math.ceil((latest.length * percent) / 100)),
      ofAll: spanAt(Math.ceil((total * percent) / 100)),
    })),
  };
}

/** Thins out many steps: the curve looks the same. */
function stepsOf(sorted: readonly number[]): SpreadStep[] {
  const steps: SpreadStep[] = [];
  for (const [index, afterMs] of sorted.entries()) {
    if (sorted[index + 1] !== afterMs) steps.push({ afterMs, clients: index + 1 });
  }
  const every = Math.ceil(steps.length / mostSteps);
  return steps.filter((_, index) => index % every === 0 || index === steps.length - 1);
}
