import type { EpochMs } from '../xds/units';
import type { Count } from './count';
import type { LoadKind } from './load-series';

/**
 * The counters by kind. LRS, load_report.proto: counters are deltas, which add up; of gauges the newest value holds. Names and
 * order are part of the recording's format, so that names may only be appended.
 *
 * reports        reports that contain the part (an absent locality is not zero)
 * intervalUs     the sum of the reported intervals
 * issuedUnknown  reports without `issued`
 * notFinite      metric values that are not finite
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

/** The values of one series, of one report or summed over time. */
export interface LoadValues {
  /** The time of the newest report. */
  at: EpochMs;
  /** The counters in the order of loadCounters. */
  readonly counters: Count[];
  /** The gauges in the order of loadGauges, as of `at`. */
  readonly gauges: Count[];
  sum: number;
}

// Arrays are copied by slice(), which allocates no spare capacity: a day has some hundred thousand of them.
const zeroCounters = zerosOf(loadCounters);
const zeroGauges = zerosOf(loadGauges);

function zerosOf(names: Readonly<Record<LoadKind, readonly string[]>>): Readonly<Record<LoadKind, Count[]>> {
  return mapKinds((kind) => names[kind].map(() => 0));
}

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

/** Returns a counter by name; 0 if the kind does not have it. */
export function counterOf(kind: LoadKind, values: LoadValues, name: string): Count {
  const index = counterPlaces[kind].get(name);
  return index === undefined ? 0 : (values.counters[index] ?? 0);
}

export function gaugeOf(kind: LoadKind, values: LoadValues, name: string): Count | undefined {
  const index = gaugePlaces[kind].get(name);
  return index === undefined ? undefined : values.gauges[index];
}

/** Returns the index of a counter, which is faster to read by than a name. */
export function counterPlace<K extends LoadKind>(kind: K, name: (typeof loadCounters)[K][number]): number {
  const names: readonly string[] = loadCounters[kind];
  return names.indexOf(name);
}

const counterPlaces = placesOf(loadCounters);
const gaugePlaces = placesOf(loadGauges);

function placesOf(names: Readonly<Record<LoadKind, readonly string[]>>) {
  return mapKinds((kind) => new Map(names[kind].map((name, index) => [name, index])));
}

function mapKinds<T>(of: (kind: LoadKind) => T): Readonly<Record<LoadKind, T>> {
  const [cluster, drop, locality] = [of('cluster'), of('drop'), of('locality')];
  return { cluster, drop, locality, endpoint: of('endpoint'), metric: of('metric') };
}
