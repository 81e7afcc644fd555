import { chooseLoadStep } from '@/lib/load/choose-step';
import { floorTo } from '@/lib/load/plan-load-reading';
import type { LoadSeriesQuery, LoadTotalsQuery, totalsGroupings } from '@/lib/views/load/query';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from '../../api-error';
import type { LoadReadQuestion } from '../../live/load/load-jobs';
import { assertRange } from '../parse-input';
import type { NewestMomentOf } from '../subjects/newest-moment';

interface LoadQuery {
  readonly question: LoadReadQuestion;
  readonly format: 'json' | 'csv';
}

const usualSpanMs = 15 * 60_000;
/** A step whose end is less than this ago is left out, because some clients may not have reported yet. */
const longestWaitMs = 30_000;
const mostSteps = 3_000;
/** Limits groups times steps times measures of an answer. */
const mostValues = 2_000_000;

/** Returns the time that a moment of the URL stands for. */
export type FindTime = (moment: string) => Promise<EpochMs>;

interface SpanInput {
  readonly from?: EpochMs;
  readonly to?: EpochMs;
  readonly at?: string;
  readonly span?: number;
}

/** If `to` is absent, the span ends now. */
export async function spanOf(
  { from, to, at, span }: SpanInput,
  now: EpochMs,
  findTime: FindTime,
): Promise<LoadReadQuestion['span'] & { readonly isPast: boolean }> {
  if (at !== undefined && to !== undefined) throw badRequest('at: expected either at or to, got both', 'at');
  // The range includes a report of this millisecond.
  const requested = at === undefined ? to : (await findTime(at)) + 1;
  const end = requested ?? now + 1;
  // The default range begins at a whole minute, so that sums of minutes are used.
  const usual = floorTo(end - usualSpanMs, 60_000);
  const begin = from ?? (span === undefined ? usual : end - span);
  assertRange(begin, end, 'a time before to');
  return { from: begin, to: end, isPast: requested !== undefined };
}

/** `limit` is the number of listed groups; all groups are read if clients are joined by locality. */
export async function resolveTotalsQuery(
  query: LoadTotalsQuery,
  nowOf: NewestMomentOf,
  findTime: FindTime,
): Promise<LoadQuery & { readonly by: (typeof totalsGroupings)[number]; readonly limit: number }> {
  const { by, limit, format } = query;
  const now = nowOf(query.client);
  const question =
    by === 'source-locality'
      ? await questionOf({ ...query, by: 'client-locality', limit: Number.MAX_SAFE_INTEGER }, now, findTime)
      : await questionOf({ ...query, by }, now, findTime);
  return { question, by, limit, format };
}

export async function resolveSeriesQuery(
  query: LoadSeriesQuery,
  nowOf: NewestMomentOf,
  findTime: FindTime,
): Promise<LoadQuery & { readonly stepMs: number }> {
  const now = nowOf(query.client);
  const whole = await questionOf(query, now, findTime);
  const spanMs = whole.span.to - whole.span.from;
  const stepMs = query.step ?? chooseLoadStep(spanMs);
  const question =
    query.to === undefined && query.at === undefined && stepMs <= longestWaitMs
      ? { ...whole, span: { ...whole.span, to: Math.max(whole.span.from + stepMs, floorTo(now, stepMs)) } }
      : whole;
  if (spanMs / stepMs > mostSteps)
    throw badRequest(`step: expected at most ${mostSteps} steps, got ${Math.ceil(spanMs / stepMs)}`, 'step');
  const { measure, format, limit } = query;
  const values = limit * Math.ceil(spanMs / stepMs) * measure.length;
  if (values > mostValues) {
    const detail = `limit: expected at most ${mostValues} values (groups times steps times measures), got ${values}`;
    throw badRequest(detail, 'limit');
  }
  return {
    question: { ...question, stepMs, measures: measure, sort: query.sort },
    format,
    stepMs,
  };
}

async function questionOf(
  query: Omit<LoadTotalsQuery, 'by'> & { readonly by: LoadReadQuestion['by'] },
  now: EpochMs,
  findTime: FindTime,
): Promise<LoadReadQuestion> {
  const { by, cluster, client, limit } = query;
  const { from, to } = await spanOf(query, now, findTime);
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
