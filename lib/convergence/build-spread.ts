import type * as z from 'zod';
import { ascending } from '../collections/compare';
import type { EpochMs } from '../xds/units';
import { type ClientOutcome, isCounted, type OutcomeKind, outcomeKinds } from './decide-client';
import type { span, spreadOverTime } from './spread-schemas';

const percents = [50, 95, 99] as const;

export type Spread = z.infer<typeof spreadOverTime>;
type TimeSpan = z.infer<typeof span>;

const mostSteps = 400;

export function buildSpread(outcomes: readonly ClientOutcome[], firstAt: EpochMs): Spread {
  const counts = Object.fromEntries(outcomeKinds.map((kind) => [kind, 0])) as Record<OutcomeKind, number>;
  const latest: number[] = [];
  const earliest: number[] = [];
  const counted = outcomes.filter((outcome) => !outcome.isProbe && isCounted(outcome));
  const total = counted.length;
  for (const { kind, isProbe } of outcomes) if (!isProbe) counts[kind] += 1;
  for (const { kind, at, earliestAt } of counted) {
    if (kind !== 'accepted') continue;
    latest.push(Math.max(0, (at ?? firstAt) - firstAt));
    earliest.push(Math.max(0, (earliestAt ?? at ?? firstAt) - firstAt));
  }
  latest.sort(ascending);
  earliest.sort(ascending);
  // The k-th smallest lies between the k-th smallest lower and the k-th smallest upper bound.
  const spanAt = (rank: number): TimeSpan | undefined => {
    const [fromMs, toMs] = [earliest[rank - 1], latest[rank - 1]];
    return fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs };
  };
  return {
    total,
    sent: counted.filter(({ sentAt, answeredAt }) => sentAt !== undefined || answeredAt !== undefined).length,
    accepted: latest.length,
    inEffect: counted.filter(({ inEffectAt }) => inEffectAt !== undefined).length,
    recovered: counted.filter(({ recoveredAt }) => recoveredAt !== undefined).length,
    probes: countProbes(outcomes),
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

function countProbes(outcomes: readonly ClientOutcome[]): Spread['probes'] {
  const probes = outcomes.filter((outcome) => outcome.isProbe && isCounted(outcome));
  const of = (kind: OutcomeKind) => probes.filter((probe) => probe.kind === kind).length;
  return { total: probes.length, accepted: of('accepted'), rejected: of('rejected') };
}

/** Thins out many steps: the curve looks the same. */
function stepsOf(sorted: readonly number[]): Spread['sure'] {
  const steps: Spread['sure'][number][] = [];
  for (const [index, afterMs] of sorted.entries()) {
    if (sorted[index + 1] !== afterMs) steps.push({ afterMs, clients: index + 1 });
  }
  const every = Math.ceil(steps.length / mostSteps);
  return steps.filter((_, index) => index % every === 0 || index === steps.length - 1);
}
