/**
 * GET load/series and load/totals: requests by the load reports of clients (LRS). Sums are exact integers as decimal
 * text, because they may exceed 2^53.
 */
import * as z from 'zod';
import { splitParts } from '../../lb/split-part';
import { groupKey, splitLine } from '../../load/load-schemas';
import { time } from '../fields/answer-fields';

const uint = z.string().regex(/^\d+$/);
const count = z.number().int();
/** null: no report, which a list cannot leave out. */
const value = z.number().nullable();

/** The exact sums between the two moments of the answer. */
const totals = z.object({
  /** The number of reports; 0 if the grouping is finer than clusters. */
  reports: uint,
  /** The mean of the interval that a report covers; absent: not reported. */
  intervalMs: z.number().optional(),
  successful: uint,
  errors: uint,
  /** Absent: some of the reports lack it. */
  issued: uint.optional(),
  dropped: uint,
  /** The number of metric values, and their exact sum rounded to the nearest double; absent: out of range. */
  metricCount: uint,
  metricSum: z.number().optional(),
  metricNotFinite: uint,
  lastAt: time,
});

const line = z.object({ key: groupKey, name: z.string(), totals });

export const loadTotalsAnswer = z.object({
  by: z.string(),
  /** The requested time, or an earlier one if only minutes or hours are kept. */
  from: time,
  to: time,
  groups: z.array(line),
  /** The sum of the groups beyond the limit. */
  others: line.optional(),
  othersCount: count,
  notes: z.array(z.string()),
});

const seriesLine = line.extend({
  /** The values by measure, one per step from `from` on; absent: no report. Rates are per second. */
  values: z.record(z.string(), z.array(value)),
});

export const loadSeriesAnswer = loadTotalsAnswer.extend({
  stepMs: count,
  groups: z.array(seriesLine),
  others: seriesLine.optional(),
});

export type LoadTotalsAnswer = z.infer<typeof loadTotalsAnswer>;
export type LoadSeriesAnswer = z.infer<typeof loadSeriesAnswer>;
export type LoadLine = z.infer<typeof line>;
export type LoadSeriesLine = z.infer<typeof seriesLine>;

export const loadSplit = z.object({
  clientId: z.string(),
  cluster: z.string(),
  /** The rules that the expected split follows. */
  rules: z.enum(['grpc', 'envoy']),
  by: z.enum(splitParts),
  from: time,
  to: time,
  /** `issued`: requests when they begin; `ended`: when they end, because the client does not report the former. */
  counted: z.enum(['issued', 'ended']),
  /** The sum of the epochs; the expected share is the mean of theirs, weighted by requests. */
  lines: z.array(splitLine),
  /** The periods in which the effective config of the client implied the same split, the newest first; at most 20. */
  epochs: z.array(
    z.object({
      from: time,
      to: time,
      /** The beginning of the reports that cover only this epoch; absent: there is none. */
      measuredFrom: time.optional(),
      lines: z.array(splitLine),
    }),
  ),
  /** Epochs in the time range before these. */
  earlierEpochs: count,
  notes: z.array(z.string()),
});

export type LoadSplit = z.infer<typeof loadSplit>;

/** `csv`: the same as a table. */
export type LoadAnswered<T> = { readonly json: T } | { readonly csv: string };
