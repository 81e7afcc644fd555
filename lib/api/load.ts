/**
 * GET load/series and load/totals: what clients report of their requests (LRS). Times are ISO 8601 in UTC; sums are exact
 * whole numbers as decimal text, since they may exceed 2^53. Pages import types only.
 */
import { z } from 'zod';
import { time } from './words';

const uint = z.string().regex(/^\d+$/);
const count = z.number().int();
const value = z.number().nullable();

const locality = z.object({ region: z.string(), zone: z.string(), subZone: z.string() });

const key = z.object({
  clusterName: z.string().optional(),
  /** EDS service name; empty: the cluster's own. */
  clusterServiceName: z.string().optional(),
  clientId: z.string().optional(),
  /** Where the client says that it is; null: it does not say. */
  sourceLocality: locality.nullable().optional(),
  locality: locality.optional(),
  priority: count.optional(),
  address: z.string().optional(),
  /** Empty: dropped with no category reported, as by circuit breakers. */
  category: z.string().optional(),
  metric: z.string().optional(),
});

/** All that came in between the two moments of the answer, exactly. */
const totals = z.object({
  /** Of clusters; where it is grouped by less than clusters they are not counted, and this is 0. */
  reports: uint,
  /** Mean of the time that a report covers, as clients report it; null: not reported. */
  intervalMs: z.number().nullable(),
  successful: uint,
  errors: uint,
  /** null: not all of those that report tell it. */
  issued: uint.nullable(),
  dropped: uint,
  /** Values of metrics, and their exact sum rounded to the nearest double; null: out of range. */
  metricCount: uint,
  metricSum: z.number().nullable(),
  metricNotFinite: uint,
  /** Of the newest report. */
  lastAt: time,
});

const line = z.object({ key, name: z.string(), totals });

export const loadTotalsAnswer = z.object({
  by: z.string(),
  /** As asked, or wider where only whole minutes or hours are kept. */
  from: time,
  to: time,
  groups: z.array(line),
  /** What is beyond the limit, as one. */
  others: line.nullable(),
  othersCount: count,
  notes: z.array(z.string()),
});

const seriesLine = line.extend({
  /** By measure, one value for each step from `valuesFrom` on; null: nothing was reported. Rates are a second. */
  values: z.record(z.string(), z.array(value)),
});

export const loadSeriesAnswer = loadTotalsAnswer.extend({
  stepMs: count,
  /** Values are of the steps from here on: `from`, or later where only the newest ones were asked for. */
  valuesFrom: time,
  groups: z.array(seriesLine),
  others: seriesLine.nullable(),
});

export type LoadTotalsAnswer = z.infer<typeof loadTotalsAnswer>;
export type LoadSeriesAnswer = z.infer<typeof loadSeriesAnswer>;
export type LoadLine = z.infer<typeof line>;
export type LoadSeriesLine = z.infer<typeof seriesLine>;

const share = z.number();

export const loadSplit = z.object({
  clientId: z.string(),
  cluster: z.string(),
  /** Whose rules say what is expected. */
  rules: z.enum(['grpc', 'envoy']),
  /** What was measured; it begins when the config that is expected was there. */
  from: time,
  to: time,
  /** When the cluster or its endpoints changed last, as seen; null: not known. */
  changedAt: time.nullable(),
  /** `issued`: as they began; `ended`: the client does not tell those. */
  counted: z.enum(['issued', 'ended']),
  lines: z.array(
    z.object({
      /** Locality, in words. */
      name: z.string(),
      /** 0 to 1; null: nothing is known of it. */
      expected: share.nullable(),
      measured: count,
      share: share.nullable(),
      /** Between these shares chance alone may bring it. */
      chance: z.object({ from: share, to: share }).nullable(),
      verdict: z.enum(['within', 'more', 'less', 'unknown']),
    }),
  ),
  notes: z.array(z.string()),
});

export type LoadSplit = z.infer<typeof loadSplit>;

/** `csv`: the same as a table. */
export type LoadAnswered<T> = { readonly json: T } | { readonly csv: string };
