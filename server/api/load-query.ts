import { z } from 'zod';
import { chooseLoadStep, loadSteps } from '@/lib/load/choose-step';
import { loadGroupings, loadMeasures } from '@/lib/load/load-question';
import { floorTo } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import type { LoadReadQuestion } from '../recorder/load/load-jobs';
import { badRequest } from './api-error';
import { timeParameter } from './history-query';
import { parseInput } from './parse-input';

const name = z.string().min(1).max(4096);

const common = {
  by: z.enum(loadGroupings).default('cluster'),
  cluster: name.optional(),
  client: name.optional(),
  from: timeParameter.optional(),
  to: timeParameter.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(20),
  format: z.enum(['json', 'csv']).default('json'),
};

/** Who asks for totals may ask by where clients are, too: that is not in their reports. */
export const totalsGroupings = [...loadGroupings, 'source-locality'] as const;

const totalsQuery = z.strictObject({ ...common, by: z.enum(totalsGroupings).default('cluster') });

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** "10s", "5m", "1h", "1d", or seconds. */
const step = z.string().transform((value, context) => {
  const match = /^(\d{1,6})([smhd]?)$/.exec(value);
  const stepMs = match ? Number(match[1]) * unitMs[(match[2] || 's') as keyof typeof unitMs] : 0;
  if (loadSteps.includes(stepMs)) return stepMs;
  const known = loadSteps.map((each) => `${each / 1_000}s`).join(', ');
  context.addIssue({ code: 'custom', message: `expected one of ${known}, got ${JSON.stringify(value)}` });
  return z.NEVER;
});

const measures = z
  .string()
  .transform((value) => value.split(','))
  .pipe(z.array(z.enum(loadMeasures)).min(1));

const seriesQuery = z.strictObject({
  ...common,
  step: step.optional(),
  measure: measures.default(['requests']),
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

/** `limit`: of what is told; where clients are put together by place, all of them are read. */
export function parseTotalsQuery(
  input: unknown,
  now: EpochMs,
): LoadQuery & { readonly by: (typeof totalsGroupings)[number]; readonly limit: number } {
  const query = parseInput(totalsQuery, input);
  const { by, limit, format } = query;
  const question =
    by === 'source-locality'
      ? questionOf({ ...query, by: 'client-locality', limit: Number.MAX_SAFE_INTEGER }, now)
      : questionOf({ ...query, by }, now);
  return { question, by, limit, format };
}

export function parseSeriesQuery(input: unknown, now: EpochMs): LoadQuery & { readonly stepMs: number } {
  const query = parseInput(seriesQuery, input);
  const whole = questionOf(query, now);
  const spanMs = whole.span.to - whole.span.from;
  const stepMs = query.step ?? chooseLoadStep(spanMs);
  const question =
    query.to === undefined && stepMs <= longestWaitMs
      ? { ...whole, span: { ...whole.span, to: Math.max(whole.span.from + stepMs, floorTo(now, stepMs)) } }
      : whole;
  if (spanMs / stepMs > mostSteps)
    throw badRequest(`step: expected at most ${mostSteps} steps, got ${Math.ceil(spanMs / stepMs)}`, 'step');
  return { question: { ...question, stepMs, measures: query.measure }, format: query.format, stepMs };
}

function questionOf(
  query: Omit<z.infer<typeof totalsQuery>, 'by'> & { readonly by: LoadReadQuestion['by'] },
  now: EpochMs,
): LoadReadQuestion {
  const { by, cluster, client, limit } = query;
  // A report of this very millisecond is in it.
  const to = query.to ?? now + 1;
  // Of whole minutes at its beginning: those are read as sums.
  const from = query.from ?? floorTo(to - usualSpanMs, 60_000);
  if (from >= to) throw badRequest('from: expected a time before to', 'from');
  return { by, cluster, clientId: client, span: { from, to }, stepMs: null, measures: [], limit };
}
