import type { ClientReport } from '@/lib/observation/client-state';
import { resourceKey } from '@/lib/observation/client-state';
import type { FoldEffect, World } from '@/lib/observation/fold';
import type { Recorded, ResourceState } from '@/lib/observation/observation';
import { ReportTotals } from '@/lib/view-model/client/report-totals';

/** The totals of every report that a summary was made of, kept up with the fold. */
export class KeptTotals {
  readonly #totals = new WeakMap<ClientReport, ReportTotals>();

  readonly of = (report: ClientReport): ReportTotals => {
    const known = this.#totals.get(report) ?? ReportTotals.of(report);
    this.#totals.set(report, known);
    return known;
  };

  /** Folds, and counts what that changed: rows are to be seen as they were before. */
  follow(observation: Recorded, world: World, fold: () => FoldEffect): FoldEffect {
    const report =
      'clientId' in observation
        ? world.get(observation.clientId)?.reports.get(observation.sourceId)
        : undefined;
    const totals = report && this.#totals.get(report);
    if (report === undefined || totals === undefined) return fold();
    if (!('changed' in observation)) {
      const effect = fold();
      // Its rows went with an observation that does not name them.
      if (effect.changes.removed.length > 0) this.#totals.delete(report);
      return effect;
    }
    const before = new Map<string, ResourceState | undefined>();
    for (const key of [...observation.changed, ...observation.removed]) {
      before.set(resourceKey(key), report.resources.get(resourceKey(key)));
    }
    const effect = fold();
    for (const [key, row] of before) totals.replace(row, report.resources.get(key));
    return effect;
  }
}
