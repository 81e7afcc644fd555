import { LoadGatherer } from '@/lib/load/gather-load';
import type { LoadExcerpt } from '@/lib/load/load-excerpt';
import { ceilTo } from '@/lib/load/plan-load-reading';
import { addLoadBlock } from './load-block';
import type { LoadAnswer, LoadReadQuestion } from './load-jobs';

/**
 * Answers a question from an excerpt whose values are summed over steps of `keptStepMs`. A span that begins within such
 * a step begins with the next step.
 */
export function readLoadExcerpt(
  { span: kept, series, values }: LoadExcerpt,
  keptStepMs: number,
  { by, cluster, clientId, span: requested, stepMs: askedStepMs, measures, limit, sort }: LoadReadQuestion,
): LoadAnswer {
  const stepMs = askedStepMs === null ? null : ceilTo(askedStepMs, keptStepMs);
  const begin = Math.max(kept.from, requested.from);
  const from = kept.from + ceilTo(begin - kept.from, keptStepMs);
  const to = Math.max(from, Math.min(kept.to, requested.to));
  const wanted = series.filter(
    ({ series: { scope } }) =>
      (cluster === undefined || scope.clusterName === cluster) &&
      (clientId === undefined || scope.clientId === clientId),
  );
  const gatherer = new LoadGatherer(
    wanted.map(({ id, series: each }) => ({ id, ...each })),
    by,
  );
  addLoadBlock(values, (id, kind, at) => {
    if (!gatherer.isWanted(id) || at < from || at >= to) return undefined;
    return gatherer.sumOf(id, kind, stepMs === null ? 0 : Math.floor((at - from) / stepMs));
  });
  const steps = stepMs === null ? 0 : Math.ceil((to - from) / stepMs);
  return { span: { from, to }, stepMs, ...gatherer.finish(measures, steps, limit, sort) };
}
