import { z } from 'zod';
import { chooseLoadStep, loadSteps } from '@/lib/load/choose-step';
import { loadGroupings, loadMeasures } from '@/lib/load/load-question';
import { floorTo } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import type { LoadReadQuestion } from '../recorder/load/load-jobs';
import { badRequest } from './api-error';
import { timeParameter } from './history-query';
import type { NowOf } from './now-of-client';
import { parseInput } from './parse-input';

const name = z.string().min(1).max(4096);

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** As in "10s", "5m", "1h", "7d", or seconds. */
const duration = z
  .string()
  .regex(/^\d{1,6}[smhd]?$/, 'expected a duration as in 15m')
  .transform((value) => {
    const unit = value.at(-1) ?? '';
    return unit in unitMs
      ? Number(value.slice(0, -1)) * unitMs[unit as keyof typeof unitMs]
      : Number(value) * 1_000;
  });

export const spanParameters = {
  from: timeParameter.optional(),
  to: timeParameter.optional(),
  /** Instead of `to`: a moment of the past, what was told at it included. */
  at: z.string().max(100).optional(),
  /** Instead of `from`. */
  span: duration.optional(),
};

const common = {
  by: z.enum(loadGroupings).default('cluster'),
  cluster: name.optional(),
  client: name.optional(),
  ...spanParameters,
  limit: z.coerce.number().int().min(1).max(1_000).default(20),
  format: z.enum(['json', 'csv']).default('json'),
};

/** Who asks for totals may ask by where clients are, too: that is not in their reports. */
export const totalsGroupings = [...loadGroupings, 'source-locality'] as const;

const totalsQuery = z.strictObject({ ...common, by: z.enum(totalsGroupings).default('cluster') });

const step = z.string().transform((value, context) => {
  const stepMs = duration.safeParse(value).data ?? 0;
  if (loadSteps.includes(stepMs)) return stepMs;
  const known = loadSteps.map((each) => `${each / 1_000}s`).join(', ');
  context.addIssue({ code: 'custom', message: `expected one of ${known}, got ${JSON.stringify(value)}` });
  return z.NEVER;
});

const measures = z
  .string()
  .transform((value) => [...new Set(value.split(','))])
  .pipe(z.array(z.enum(loadMeasures)).min(1));

const seriesQuery = z.strictObject({
  ...common,
  step: step.optional(),
  measure: measures.default(['requests']),
  /** Values of the steps from there on alone: who follows what comes knows the others. */
  valuesFrom: timeParameter.optional(),
});

export interface LoadQuery {
  readonly question: LoadReadQuestion;
  readonly format: 'json' | 'csv';
}

const usualSpanMs = 15 * 60_000;
/** A step that has just begun, in which some clients have not reported yet, is not told when the wait is this short. */
const longestWaitMs = 30_000;
/** Of one answer. */
const mostSteps = 3_000;
/** Of one answer: groups times steps times measures. */
const mostValues = 2_000_000;

/** When a moment was, as the URL says it. */
export type TimeOf = (moment: string) => Promise<EpochMs>;

export interface SpanInput {
  readonly from?: EpochMs;
  readonly to?: EpochMs;
  readonly at?: string;
  readonly span?: number;
}

/** `to`: not there: now. */
export async function spanOf(
  { from, to, at, span }: SpanInput,
  now: EpochMs,
  timeOf: TimeOf,
): Promise<LoadReadQuestion['span'] & { readonly isPast: boolean }> {
  if (at !== undefined && to !== undefined) throw badRequest('at: expected either at or to, got both', 'at');
  // A report of this very millisecond is in it.
  const asked = at === undefined ? to : (await timeOf(at)) + 1;
  const end = asked ?? now + 1;
  // Of whole minutes at its beginning where nobody says which one: those are read as sums.
  const usual = floorTo(end - usualSpanMs, 60_000);
  const begin = from ?? (span === undefined ? usual : end - span);
  if (begin >= end) throw badRequest('from: expected a time before to', 'from');
  return { from: begin, to: end, isPast: asked !== undefined };
}

/** `limit`: of what is told; where clients are put together by place, all of them are read. */
export async function parseTotalsQuery(
  input: unknown,
  nowOf: NowOf,
  timeOf: TimeOf,
): Promise<LoadQuery & { readonly by: (typeof totalsGroupings)[number]; readonly limit: number }> {
  const query = parseInput(totalsQuery, input);
  const { by, limit, format } = query;
  const now = nowOf(query.client);
  const question =
    by === 'source-locality'
      ? await questionOf({ ...query, by: 'client-locality', limit: Number.MAX_SAFE_INTEGER }, now, timeOf)
      : await questionOf({ ...query, by }, now, timeOf);
  return { question, by, limit, format };
}

export async function parseSeriesQuery(
  input: unknown,
  nowOf: NowOf,
  timeOf: TimeOf,
): Promise<LoadQuery & { readonly stepMs: number }> {
  const query = parseInput(seriesQuery, input);
  const now = nowOf(query.client);
  const whole = await questionOf(query, now, timeOf);
  const spanMs = whole.span.to - whole.span.from;
  const stepMs = query.step ?? chooseLoadStep(spanMs);
  const question =
    query.to === undefined && query.at === undefined && stepMs <= longestWaitMs
      ? { ...whole, span: { ...whole.span, to: Math.max(whole.span.from + stepMs, floorTo(now, stepMs)) } }
      : whole;
  if (spanMs / stepMs > mostSteps)
    throw badRequest(`step: expected at most ${mostSteps} steps, got ${Math.ceil(spanMs / stepMs)}`, 'step');
  const { measure, valuesFrom, format, limit } = query;
  const values = limit * Math.ceil(spanMs / stepMs) * measure.length;
  if (values > mostValues) {
    const detail = `limit: expected at most ${mostValues} values (groups times steps times measures), got ${values}`;
    throw badRequest(detail, 'limit');
  }
  return { question: { ...question, stepMs, measures: measure, valuesFrom }, format, stepMs };
}

async function questionOf(
  query: Omit<z.infer<typeof totalsQuery>, 'by'> & { readonly by: LoadReadQuestion['by'] },
  now: EpochMs,
  timeOf: TimeOf,
): Promise<LoadReadQuestion> {
  const { by, cluster, client, limit } = query;
  const { from, to } = await spanOf(query, now, timeOf);
  const endsExactly = query.at !== undefined;
  return {
    endsExactly,
    by,
    cluster,
    clientId: client,
    span: { from, to },
    stepMs: null,
    measures: [],
    limit,
  };
}
