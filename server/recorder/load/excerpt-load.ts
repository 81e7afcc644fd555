import type { LoadExcerpt } from '@/lib/load/load-excerpt';
import type { LoadKind } from '@/lib/load/load-series';
import { type LoadValues, noLoadValues } from '@/lib/load/load-values';
import {
  type LoadReach,
  type LoadReadingPlan,
  type LoadSpan,
  planFinestReading,
} from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { isImportedClient } from '../../client-id';
import { LoadBlockWriter } from '../../load/load-block';
import type { LoadStore } from './load-store';
import { readLoad } from './read-load';

export interface LoadExcerptQuestion {
  readonly span: LoadSpan;
  /** Not there: of everybody, but for what came from a file itself. */
  readonly clientId?: string;
  /** Values are summed over steps of it, from the span's beginning on; null: each as it is kept. */
  readonly stepMs: number | null;
}

/** Reads a span of the file of load, whole: who asks for much of many asks part by part. */
export function excerptLoad(
  store: LoadStore,
  { span, clientId, stepMs }: LoadExcerptQuestion,
  planned?: LoadReadingPlan,
): LoadExcerpt {
  const plan = planned ?? planFinestReading(span, store.storage.reach());
  const series = store.storage
    .readSeries({ clientId }, 'clients')
    .filter(({ scope }) => clientId !== undefined || !isImportedClient(scope.clientId));
  const steps = new Map<number, Map<number, { readonly kind: LoadKind; readonly values: LoadValues }>>();
  readLoad(store, plan, series, (id, kind, beginsAt) => {
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
  for (const step of [...steps.keys()].sort((a, b) => a - b)) {
    const inStep = steps.get(step) ?? new Map<number, never>();
    for (const [id, { kind, values }] of [...inStep].sort(([a], [b]) => a - b)) {
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

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The first part of a span that is read at once, and where the next one begins; null: this is the last. */
export function firstPart(
  span: LoadSpan,
  reach: LoadReach,
): { readonly part: LoadSpan; readonly next: EpochMs | null } {
  const { from, to } = span;
  const unitMs = from < reach.minutes ? 24 * hourMs : from < reach.raw ? hourMs : minuteMs;
  // Whole minutes and hours are in one part.
  const end = Math.max(from, Math.min(to, (Math.floor(from / unitMs) + 1) * unitMs));
  return { part: { from, to: end }, next: end < to ? end : null };
}
