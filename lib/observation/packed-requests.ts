import type { EpochMs } from '../xds/units';

/** Why an Envoy answered requests itself; the others failed for other reasons, or it is not reported. */
export const failureCauses = ['overflow', 'noHost', 'connectFailure', 'timeout'] as const;
export type FailureCause = (typeof failureCauses)[number];

/** Numbers of requests or RPCs. */
export type RequestCounts = Readonly<Record<'completed' | 'failed' | FailureCause, number>>;

/** The requests of one minute, which begins at `from`. */
export interface RequestMinute {
  readonly from: EpochMs;
  readonly counts: RequestCounts;
  /** The time of the first poll that counted failed ones; undefined: none failed. */
  readonly failedAt: EpochMs | undefined;
}

/** The requests of the process of a source in the last hour. */
export interface CountedMinutes {
  /** The clusters or targets to which requests failed, by name; the oldest minute is first. */
  readonly failing: ReadonlyMap<string, readonly RequestMinute[]>;
  /** The requests to all clusters or targets. */
  readonly all: readonly RequestMinute[];
}

/** The same as bytes, since they pass from thread to thread with each poll. */
export interface PackedRequests {
  /** JSON of the names, and of their number of minutes. */
  readonly names: string;
  readonly values: Float64Array;
}

export const requestMinuteMs = 60_000;
export const requestMinutesKept = 60;

export const noRequests: RequestCounts = {
  ...{ completed: 0, failed: 0, overflow: 0, noHost: 0, connectFailure: 0, timeout: 0 },
};

const keys = ['completed', 'failed', ...failureCauses] as const;
const columns = keys.length + 2;

function combine(a: RequestCounts, b: RequestCounts, sign: 1 | -1): RequestCounts {
  const combined = { ...a };
  for (const key of keys) combined[key] = a[key] + sign * b[key];
  return combined;
}

export function addCounts(a: RequestCounts, b: RequestCounts): RequestCounts {
  return combine(a, b, 1);
}

export function subtractCounts(a: RequestCounts, b: RequestCounts): RequestCounts {
  return combine(a, b, -1);
}

export function packRequests({ failing, all }: CountedMinutes): PackedRequests {
  const lists = [...failing, ['', all] as const];
  const rows = lists.flatMap(([, minutes]) =>
    minutes.flatMap(({ from, counts, failedAt = Number.NaN }) => [
      from,
      failedAt,
      ...keys.map((key) => counts[key]),
    ]),
  );
  const names = JSON.stringify(lists.map(([name, minutes]) => [name, minutes.length]));
  return { names, values: Float64Array.from(rows) };
}

export function unpackRequests({ names, values }: PackedRequests): CountedMinutes {
  const lists = JSON.parse(names) as [string, number][];
  let row = 0;
  const read = lists.map(([name, count]): [string, RequestMinute[]] => [
    name,
    Array.from({ length: count }, () => minuteOf(values.subarray(row * columns, ++row * columns))),
  ]);
  const [, all = []] = read.pop() ?? [];
  return { failing: new Map(read), all };
}

function minuteOf([from = 0, failedAt = Number.NaN, ...numbers]: Float64Array): RequestMinute {
  const counts: Record<string, number> = {};
  for (const [index, key] of keys.entries()) counts[key] = numbers[index] ?? 0;
  return { from, failedAt: Number.isNaN(failedAt) ? undefined : failedAt, counts: counts as RequestCounts };
}
