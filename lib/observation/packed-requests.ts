import type { EpochMs } from '../xds/units';

/**
 * Why an Envoy answered requests itself; the others failed for other reasons, or it is not reported. `unanswered`: they were sent
 * to a host and ended before it answered, as by a time limit of the stream, which no counter of the cluster shows.
 */
export const failureCauses = ['overflow', 'noHost', 'connectFailure', 'timeout', 'unanswered'] as const;
export type FailureCause = (typeof failureCauses)[number];

/** Numbers of requests or RPCs, or of attempts to connect, which are completed when they have succeeded or failed. */
export type RequestCounts = Readonly<Record<'completed' | 'failed' | FailureCause, number>>;

/** The requests of one minute, which begins at `from`. */
export interface RequestMinute {
  readonly from: EpochMs;
  readonly counts: RequestCounts;
  /** The time of the first poll that counted failed ones; undefined: none failed. */
  readonly failedAt: EpochMs | undefined;
}

/** The limits of circuit breakers that are reached, as ["max_requests"], by cluster. */
export type ReachedLimits = ReadonlyMap<string, readonly string[]>;

/** The requests of the process of a source in the last hour. */
export interface CountedMinutes {
  /** The clusters or targets to which requests failed, by name; the oldest minute is first. */
  readonly failing: ReadonlyMap<string, readonly RequestMinute[]>;
  /** The newest minute with requests of each cluster or target to which none failed, by name. */
  readonly served: ReadonlyMap<string, RequestMinute>;
  /** The requests to all clusters or targets. */
  readonly all: readonly RequestMinute[];
  /** The clusters of which connections are counted in place of requests, as of a TCP proxy. */
  readonly overTcp: ReadonlySet<string>;
  /** The connections to all of these. */
  readonly allConnections: readonly RequestMinute[];
  /** The time of the newest poll whose counters had begun anew, as after a restart of the process. */
  readonly restartedAt?: EpochMs | undefined;
}

/** The same as bytes, since they pass from thread to thread with each poll. */
export interface PackedRequests {
  /** PackedNames as JSON. */
  readonly names: string;
  readonly values: Float64Array;
  /** See CountedMinutes. */
  readonly restartedAt?: EpochMs | undefined;
  /** In the newest poll. Absent: not reported. */
  readonly reachedLimits?: ReachedLimits;
  /** Why the process served no request in the newest poll, whatever its config is. Absent: not reported. */
  readonly standstill?: string;
}

type NumberedName = readonly [name: string, minutes: number];

interface PackedNames {
  readonly failing: readonly NumberedName[];
  readonly served: readonly string[];
  readonly overTcp: readonly string[];
  /** The number of minutes of `all`. */
  readonly all: number;
}

export const requestMinuteMs = 60_000;
export const requestMinutesKept = 60;

export const noRequests: RequestCounts = {
  ...{ completed: 0, failed: 0, overflow: 0, noHost: 0, connectFailure: 0, timeout: 0, unanswered: 0 },
};

const keys = ['completed', 'failed', ...failureCauses] as const;
const columns = keys.length + 2;

function combine(a: RequestCounts, b: RequestCounts, sign: 1 | -1): RequestCounts {
  const combined = { ...a };
  for (const key of keys) combined[key] = a[key] + sign * b[key];
  return combined;
}

/** Changes `total`: thousands of clients have thousands of minutes. */
export function addTo(total: Record<keyof RequestCounts, number>, counts: RequestCounts): void {
  for (const key of keys) total[key] += counts[key];
}

export function addCounts(a: RequestCounts, b: RequestCounts): RequestCounts {
  return combine(a, b, 1);
}

export function subtractCounts(a: RequestCounts, b: RequestCounts): RequestCounts {
  return combine(a, b, -1);
}

export function packRequests({
  failing,
  served,
  overTcp,
  all,
  allConnections,
  restartedAt,
}: CountedMinutes): PackedRequests {
  const lists = [...failing.values(), [...served.values()], all, allConnections];
  const rows = lists.flatMap((minutes) =>
    minutes.flatMap(({ from, counts, failedAt = Number.NaN }) => [
      from,
      failedAt,
      ...keys.map((key) => counts[key]),
    ]),
  );
  const counted = [...failing].map(([name, minutes]): NumberedName => [name, minutes.length]);
  const packed: PackedNames = {
    ...{ failing: counted, served: [...served.keys()] },
    ...{ overTcp: [...overTcp], all: all.length },
  };
  return { names: JSON.stringify(packed), values: Float64Array.from(rows), restartedAt };
}

export function unpackRequests({ names, values, restartedAt }: PackedRequests): CountedMinutes {
  const { failing, served, overTcp, all } = JSON.parse(names) as PackedNames;
  let row = 0;
  const next = (): RequestMinute => minuteOf(values.subarray(row * columns, ++row * columns));
  return {
    failing: new Map(failing.map(([name, count]) => [name, Array.from({ length: count }, next)])),
    served: new Map(served.map((name) => [name, next()])),
    all: Array.from({ length: all }, next),
    allConnections: Array.from({ length: values.length / columns - row }, next),
    overTcp: new Set(overTcp),
    restartedAt,
  };
}

function minuteOf(row: Float64Array): RequestMinute {
  const [from = 0, failedAt = Number.NaN] = [row[0], row[1]];
  const counts = { ...noRequests };
  for (let index = 0; index < keys.length; index += 1)
    counts[keys[index] ?? 'completed'] = row[index + 2] ?? 0;
  return { from, failedAt: Number.isNaN(failedAt) ? undefined : failedAt, counts };
}
