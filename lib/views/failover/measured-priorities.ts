import { by } from '../../collections/compare';
import { formatLocality } from '../../format/locality';
import { formatShare } from '../../format/share';
import type { LoadSeriesAnswer } from '../load/schema';
import type { FailoverPeriod } from './periods-schema';

/** The requests that a client reports for one cluster (LRS), by priority and time step. */
export interface MeasuredPriorities {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly stepMs: number;
  /** Requests per second in each step, sorted by priority; null if they are not reported. */
  readonly lines: readonly { readonly priority: number; readonly values: readonly (number | null)[] }[];
}

interface LocalityLoads {
  readonly cluster: string;
  readonly answer: LoadSeriesAnswer;
}

/** The end of the last step, in epoch milliseconds. */
export function measuredUntil({ from, stepMs, lines }: MeasuredPriorities): number {
  return from + stepMs * Math.max(0, ...lines.map(({ values }) => values.length));
}

/** A priority's share of the requests, 0 to 1. */
interface PriorityShare {
  readonly priority: number;
  readonly share: number;
}

/**
 * Sums up requests by priority. The priority of a locality is that of EDS at the time, since gRPC does not report it. Localities
 * without a priority are left out. Precondition: all answers have the same steps.
 */
export function measurePriorities(
  periods: readonly FailoverPeriod[],
  loads: readonly LocalityLoads[],
): MeasuredPriorities {
  const [first] = loads;
  const from = first?.answer.from ?? 0;
  const stepMs = first?.answer.stepMs ?? 1;
  const findPlace = placeFinder(periods);
  const byPriority = new Map<number, (number | null)[]>();
  for (const { cluster, answer } of loads) {
    for (const { key, values } of answer.groups) {
      const locality = formatLocality(key.locality ?? null);
      const requests = values.requests ?? [];
      requests.forEach((value, step) => {
        const priority = value === null ? undefined : findPlace(from + step * stepMs, cluster, locality);
        if (value === null || priority === undefined) return;
        const line = byPriority.get(priority) ?? requests.map(() => null);
        byPriority.set(priority, line);
        line[step] = (line[step] ?? 0) + value;
      });
    }
  }
  const lines = [...byPriority].map(([priority, values]) => ({ priority, values }));
  return { from, stepMs, lines: lines.sort(by(({ priority }) => priority)) };
}

/** The places of the first period also apply to the times before it. */
function placeFinder(
  periods: readonly FailoverPeriod[],
): (at: number, cluster: string, locality: string) => number | undefined {
  let places = new Map<string, number>();
  const begins = periods.map((period) => {
    if (period.places !== undefined) {
      places = new Map(period.places.map((each) => [`${each.cluster}\u0000${each.locality}`, each.priority]));
    }
    return { at: period.fromAt, places };
  });
  return (at, cluster, locality) => {
    const period = begins.findLast((each) => each.at <= at) ?? begins[0];
    return period?.places.get(`${cluster}\u0000${locality}`);
  };
}

/** Returns the shares in the steps within a time range; empty without requests. */
export function sharesBetween(
  { from: begin, stepMs, lines }: MeasuredPriorities,
  from: number,
  to: number,
): PriorityShare[] {
  const first = Math.max(0, Math.ceil((from - begin) / stepMs));
  const end = Math.max(first, Math.floor((to - begin) / stepMs));
  const sums = lines.map(({ priority, values }) => ({
    priority,
    sum: values.slice(first, end).reduce<number>((sum, value) => sum + (value ?? 0), 0),
  }));
  const total = sums.reduce((all, { sum }) => all + sum, 0);
  if (total === 0) return [];
  return sums.flatMap(({ priority, sum }) => (sum === 0 ? [] : [{ priority, share: sum / total }]));
}

/** Returns the shares measured in a whole period; empty if none are. */
export function sharesOfPeriod(periods: readonly FailoverPeriod[], index: number): PriorityShare[] {
  const measured = periods[index]?.measured ?? [];
  const places = periods.slice(0, index + 1).findLast((each) => each.places !== undefined)?.places ?? [];
  const byPriority = new Map<number, number>();
  for (const { cluster, locality, share } of measured) {
    const priority = places.find(
      (each) => each.locality === locality && (cluster ?? each.cluster) === each.cluster,
    )?.priority;
    if (priority !== undefined) byPriority.set(priority, (byPriority.get(priority) ?? 0) + share);
  }
  return [...byPriority]
    .map(([priority, share]) => ({ priority, share }))
    .sort(by(({ priority }) => priority));
}

/** "P0 46%, P1 54%"; empty without requests. `names` are those of an aggregate's priorities. */
export function formatShares(shares: readonly PriorityShare[], names: readonly string[] = []): string {
  return shares
    .map(({ priority, share }) => `${names[priority] ?? `P${priority}`} ${formatShare(share)}`)
    .join(', ');
}

/** Adjacent steps with equal texts. */
interface MeasuredRun {
  readonly from: number;
  readonly to: number;
  readonly shares: readonly PriorityShare[];
  readonly text: string;
}

/** Joins adjacent steps, and leaves out steps without requests. `namesAt` returns the names of priorities at a time. */
export function measuredRuns(
  measured: MeasuredPriorities,
  namesAt: (at: number) => readonly string[],
): MeasuredRun[] {
  const until = measuredUntil(measured);
  const runs: MeasuredRun[] = [];
  for (let { from } = measured; from < until; from += measured.stepMs) {
    const to = from + measured.stepMs;
    const shares = sharesBetween(measured, from, to);
    const text = formatShares(shares, namesAt(from));
    const last = runs.at(-1);
    if (last?.text === text) runs[runs.length - 1] = { ...last, to };
    else runs.push({ from, to, shares, text });
  }
  return runs.filter(({ text }) => text !== '');
}
