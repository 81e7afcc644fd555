import { ascending, by } from '@/lib/collections/compare';
import type { LoadExcerpt } from '@/lib/load/load-excerpt';
import type { LoadKind } from '@/lib/load/load-series';
import { type LoadValues, noLoadValues } from '@/lib/load/load-values';
import {
  hourMs,
  type LoadReach,
  type LoadReadingPlan,
  type LoadSpan,
  minuteMs,
  planFinestReading,
} from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { LoadBlockWriter } from './load-block';
import { type LoadRows, readLoad } from './read-load';

export interface LoadExcerptQuestion {
  readonly span: LoadSpan;
  /** If absent, all clients are read, those of imported files only with `withFiles`. */
  readonly clientId?: string;
  readonly withFiles?: boolean;
  /** Values are summed over steps of this length from the beginning of the span; null returns stored values. */
  readonly stepMs: number | null;
}

/** Reads the whole span at once; long spans are to be read part by part (firstPart()). */
export async function excerptLoad(
  rows: LoadRows,
  { span, clientId, stepMs, withFiles = clientId !== undefined }: LoadExcerptQuestion,
  planned?: LoadReadingPlan,
): Promise<LoadExcerpt> {
  const plan = planned ?? planFinestReading(span, await rows.storage.reach());
  const all = await rows.storage.readSeries({ clientId }, 'clients');
  const series = all.filter(({ scope }) => withFiles || scope.fileId === undefined);
  const steps = new Map<number, Map<number, { readonly kind: LoadKind; readonly values: LoadValues }>>();
  await readLoad(rows, plan, series, (id, kind, beginsAt) => {
    const step = stepMs === null ? beginsAt : Math.floor((beginsAt - plan.span.from) / stepMs);
    const inStep = steps.get(step) ?? new Map();
    steps.set(step, inStep);
    const known = inStep.get(id);
    if (known !== undefined) return known.values;
    const values = noLoadValues(kind);
    inStep.set(id, { kind, values });
    return values;
  });
  const writer = new LoadBlockWriter();
  const reported = new Set<number>();
  for (const step of [...steps.keys()].sort(ascending)) {
    const inStep = steps.get(step) ?? new Map<number, never>();
    for (const [id, { kind, values }] of [...inStep].sort(by(([key]) => key))) {
      writer.add(id, kind, values);
      reported.add(id);
    }
  }
  return {
    span: plan.span,
    series: series.flatMap(({ id, scope, part }) =>
      reported.has(id) ? [{ id, series: { scope, part } }] : [],
    ),
    values: writer.finish(),
  };
}

/** Returns the first part of a span and the beginning of the next part, or null as the latter if this is the last. */
export function firstPart(
  span: LoadSpan,
  reach: LoadReach,
): { readonly part: LoadSpan; readonly next: EpochMs | null } {
  const { from, to } = span;
  const unitMs = from < reach.minutes ? 24 * hourMs : from < reach.raw ? hourMs : minuteMs;
  // The unit of time of a block is not divided.
  const end = Math.max(from, Math.min(to, (Math.floor(from / unitMs) + 1) * unitMs));
  return { part: { from, to: end }, next: end < to ? end : null };
}
