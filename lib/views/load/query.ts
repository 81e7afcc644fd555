import * as z from 'zod';
import { roundDurationsMs } from '../../format/duration';
import { splitParts } from '../../lb/split-part';
import { loadGroupings, loadMeasures, loadSorts } from '../../load/load-question';
import { described, limit, timeParameter } from '../fields/query-fields';

const name = z.string().min(1).max(4096);
const ofCluster = described(name.optional(), 'Only load of this cluster.');
const ofClient = described(name.optional(), 'Only load that this client reported: its id.');
const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** As in "10s", "5m", "1h", "7d", or seconds; in milliseconds. */
const duration = z
  .string()
  .regex(/^(?:\d{1,9}s?|\d{1,6}[mhd])$/, 'expected a duration as in 15m')
  .transform((value) => {
    const unit = value.at(-1) ?? '';
    return unit in unitMs
      ? Number(value.slice(0, -1)) * unitMs[unit as keyof typeof unitMs]
      : Number(value) * 1_000;
  });

const timeRange = {
  from: described(
    timeParameter.optional(),
    'The begin of the time range. Default: 15 minutes before the end.',
  ),
  to: described(timeParameter.optional(), 'The end of the time range, exclusive. Default: now.'),
  at: described(
    z.string().max(100).optional(),
    'Instead of to: a moment of the past, as in GET clients/{id}; reports of that moment are included.',
  ),
  span: described(
    duration.optional(),
    'Instead of from: the length of the time range, as in 1h. Default: 15m.',
  ),
};

const grouping = 'What each line sums.';
const common = {
  cluster: ofCluster,
  client: ofClient,
  ...timeRange,
  limit: limit('lines (all others are one line)', { min: 1, max: 1_000, otherwise: 20 }),
  format: described(z.enum(['json', 'csv']).default('json'), 'csv: the answer as a table.'),
};

/** Totals can also be grouped by the localities of the clients, which load reports do not contain. */
export const totalsGroupings = [...loadGroupings, 'source-locality'] as const;

export const loadTotalsQuery = z.strictObject({
  by: described(z.enum(totalsGroupings).default('cluster'), grouping),
  ...common,
});

const step = z.string().transform((value, context) => {
  const stepMs = duration.safeParse(value).data ?? 0;
  if (roundDurationsMs.includes(stepMs)) return stepMs;
  const known = roundDurationsMs.map((each) => `${each / 1_000}s`).join(', ');
  context.addIssue({ code: 'custom', message: `expected one of ${known}, got ${JSON.stringify(value)}` });
  return z.NEVER;
});

const measures = z
  .string()
  .default('requests')
  .transform((value) => [...new Set(value.split(','))])
  .pipe(z.array(z.enum(loadMeasures)).min(1));

export const loadSeriesQuery = z.strictObject({
  by: described(z.enum(loadGroupings).default('cluster'), grouping),
  ...common,
  sort: described(
    z.enum(loadSorts).default('size'),
    'Which lines come first, by their sums in the time range, and for in-flight by the newest value.',
  ),
  step: described(
    step.optional(),
    'The length of a step, as in 10s, 5m, 1h, 1d. Default: at most 300 steps.',
  ),
  measure: described(measures, `Comma-separated: ${loadMeasures.join(', ')}.`),
});

export const loadSplitQuery = z.strictObject({
  client: described(name, 'Id of the client.'),
  cluster: described(name, 'Name of the cluster.'),
  rules: described(z.enum(['grpc', 'envoy']).default('grpc'), 'The rules by which shares are expected.'),
  by: described(
    z.enum(splitParts).default('locality'),
    'What has shares. endpoint: only clients that report load by endpoint have actual shares.',
  ),
  ...timeRange,
});

/** A permalink stores the client and its time range. */
const notStored = { client: true, at: true, span: true } as const;
const storedRange = {
  from: described(
    timeParameter.optional(),
    'The begin of the time range. Default: that of the stored range.',
  ),
  to: described(
    timeParameter.optional(),
    'The end of the time range, exclusive. Default: that of the stored range.',
  ),
};

export const permalinkLoadSeriesQuery = loadSeriesQuery.omit(notStored).extend(storedRange);
export const permalinkLoadSplitQuery = loadSplitQuery.omit({ ...notStored, by: true }).extend(storedRange);

export const loadRowsQuery = z.strictObject({
  client: described(z.string().min(1).optional(), 'Only load that this client reported: its id.'),
  cluster: described(z.string().min(1).optional(), 'Only load of this cluster.'),
  limit: limit('lines', { min: 1, max: 1_000, otherwise: 500 }),
});

export type LoadTotalsQuery = z.infer<typeof loadTotalsQuery>;
export type LoadSeriesQuery = z.infer<typeof loadSeriesQuery>;
export type LoadSplitQuery = z.infer<typeof loadSplitQuery>;
export type PermalinkLoadSeriesQuery = z.infer<typeof permalinkLoadSeriesQuery>;
export type PermalinkLoadSplitQuery = z.infer<typeof permalinkLoadSplitQuery>;
