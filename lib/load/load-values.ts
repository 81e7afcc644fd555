import type { EpochMs } from '../xds/units';
import { addCounts, type Count } from './count';
import { addExactSums, type ExactSum, zeroSum } from './exact-sum';
import type { LoadKind } from './load-series';

/**
 * What is counted, by kind: counters are deltas and add up, gauges are as of `at` and the newest one holds
 * (LRS, load_report.proto). Names and order are part of the recording's format: append only.
 *
 * reports        reports that name it (a locality that is left out had nothing to tell, which is not zero)
 * intervalUs     time that they cover, as reported
 * issuedUnknown  of `reports`, those that do not tell `issued`
 * notFinite      values of a metric that are no number that can be added
 */
export const loadCounters = {
  cluster: ['reports', 'intervalUs', 'dropped'],
  drop: ['dropped'],
  locality: [
    'reports',
    'successful',
    'errors',
    'issued',
    'issuedUnknown',
    'newConnections',
    'failedConnections',
  ],
  endpoint: ['reports', 'successful', 'errors', 'issued', 'issuedUnknown'],
  metric: ['count', 'notFinite'],
} as const satisfies Record<LoadKind, readonly string[]>;

export const loadGauges = {
  cluster: [],
  drop: [],
  locality: ['inProgress', 'activeConnections'],
  endpoint: ['inProgress'],
  metric: [],
} as const satisfies Record<LoadKind, readonly string[]>;

/** Of one series, of one report or of a span of time. */
export interface LoadValues {
  /** Of the newest report in it. */
  at: EpochMs;
  /** As loadCounters names them. */
  readonly counters: Count[];
  /** As loadGauges names them, at `at`. */
  gauges: readonly Count[];
  /** Of a metric: the sum of its values. */
  sum: ExactSum;
}

/** MUTATES `into`. In any order the result is the same, but for gauges of the very same millisecond. */
export function addLoadValues(into: LoadValues, more: LoadValues): void {
  const { counters } = into;
  for (let index = 0; index < more.counters.length; index++) {
    counters[index] = addCounts(counters[index] ?? 0, more.counters[index] ?? 0);
  }
  if (more.at >= into.at) {
    into.at = more.at;
    into.gauges = more.gauges;
  }
  if (more.sum.mantissa !== 0n) into.sum = addExactSums(into.sum, more.sum);
}

export function copyLoadValues({ at, counters, gauges, sum }: LoadValues): LoadValues {
  return { at, counters: [...counters], gauges, sum };
}

export function valuesOf(
  at: EpochMs,
  counters: Count[],
  gauges: readonly Count[] = [],
  sum: ExactSum = zeroSum,
): LoadValues {
  return { at, counters, gauges, sum };
}

/** A counter by its name; 0 where the kind has no such counter. */
export function counterOf(kind: LoadKind, values: LoadValues, name: string): Count {
  return values.counters[(loadCounters[kind] as readonly string[]).indexOf(name)] ?? 0;
}

export function gaugeOf(kind: LoadKind, values: LoadValues, name: string): Count | undefined {
  return values.gauges[(loadGauges[kind] as readonly string[]).indexOf(name)];
}
