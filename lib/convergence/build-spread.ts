import type { EpochMs } from '../xds/units';
import { type ClientOutcome, isStuckOutcome, type OutcomeKind } from './decide-client';

export const percents = [50, 95, 99] as const;

/** A time to accept; polls know only between when and when. Milliseconds from the first sight. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Percentile {
  readonly percent: (typeof percents)[number];
  /** Among those that accepted; null: nobody has. */
  readonly ofAccepted: TimeSpan | null;
  /** Among all that are counted; null: not reached, since too many are stuck. */
  readonly ofAll: TimeSpan | null;
}

/** So many have accepted from then on. */
export interface SpreadStep {
  readonly afterMs: number;
  readonly clients: number;
}

/** How far something has spread. */
export interface Spread {
  /** Accepted and stuck. */
  readonly total: number;
  readonly accepted: number;
  readonly counts: Readonly<Record<OutcomeKind, number>>;
  /** Oldest first: who had accepted for sure by then. */
  readonly sure: readonly SpreadStep[];
  /** Who may have accepted by then, since polls report late; the same as `sure` where nobody was polled. */
  readonly possible: readonly SpreadStep[];
  readonly percentiles: readonly Percentile[];
}

const mostSteps = 400;

export function buildSpread(outcomes: readonly ClientOutcome[], firstAt: EpochMs): Spread {
  const counts: Record<OutcomeKind, number> = {
    accepted: 0,
    rejected: 0,
    silent: 0,
    behind: 0,
    unclear: 0,
    missing: 0,
    'passed-over': 0,
    already: 0,
    'joined-later': 0,
    left: 0,
  };
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

/** Of very many, each n-th and the last: the line looks the same. */
function stepsOf(sorted: readonly number[]): SpreadStep[] {
  const steps: SpreadStep[] = [];
  for (const [index, afterMs] of sorted.entries()) {
    if (sorted[index + 1] !== afterMs) steps.push({ afterMs, clients: index + 1 });
  }
  const every = Math.ceil(steps.length / mostSteps);
  return steps.filter((_, index) => index % every === 0 || index === steps.length - 1);
}
