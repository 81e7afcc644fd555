import type { EpochMs } from '../xds/units';
import type { Count } from './count';
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
  readonly gauges: Count[];
  /** Of a metric: the sum of its values. */
  sum: number;
}

// Copied, since a day of a few hundred series asks for a hundred thousand of them, each of which is to be no larger than it is.
const zeroCounters = zerosOf(loadCounters);
const zeroGauges = zerosOf(loadGauges);

function zerosOf(names: Readonly<Record<LoadKind, readonly string[]>>): Readonly<Record<LoadKind, Count[]>> {
  const of = (kind: LoadKind): Count[] => names[kind].map(() => 0);
  return {
    ...{ cluster: of('cluster'), drop: of('drop'), locality: of('locality') },
    ...{ endpoint: of('endpoint'), metric: of('metric') },
  };
}

/** Of nothing yet. */
export function noLoadValues(kind: LoadKind): LoadValues {
  return {
    at: Number.NEGATIVE_INFINITY,
    counters: zeroCounters[kind].slice(),
    gauges: zeroGauges[kind].slice(),
    sum: 0,
  };
}

export function valuesOf(at: EpochMs, counters: Count[], gauges: Count[] = [], sum = 0): LoadValues {
  return { at, counters, gauges, sum };
}

/** A counter by its name; 0 where the kind has no such counter. */
export function counterOf(kind: LoadKind, values: LoadValues, name: string): Count {
  const index = counterPlaces[kind].get(name);
  return index === undefined ? 0 : (values.counters[index] ?? 0);
}

export function gaugeOf(kind: LoadKind, values: LoadValues, name: string): Count | undefined {
  const index = gaugePlaces[kind].get(name);
  return index === undefined ? undefined : values.gauges[index];
}

/** Where a counter of the name is, for who reads a hundred thousand of them. The kind has it. */
export function counterPlace<K extends LoadKind>(kind: K, name: (typeof loadCounters)[K][number]): number {
  const names: readonly string[] = loadCounters[kind];
  return names.indexOf(name);
}

const counterPlaces = placesOf(loadCounters);
const gaugePlaces = placesOf(loadGauges);

function placesOf(names: Readonly<Record<LoadKind, readonly string[]>>) {
  const of = (kind: LoadKind) => new Map(names[kind].map((name, index) => [name, index]));
  return {
    ...{ cluster: of('cluster'), drop: of('drop'), locality: of('locality') },
    ...{ endpoint: of('endpoint'), metric: of('metric') },
  } satisfies Record<LoadKind, ReadonlyMap<string, number>>;
}
