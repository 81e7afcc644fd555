import { type ClientReport, type ClientState, resourceKey } from '@/lib/observation/client-state';
import type { FoldEffect, World } from '@/lib/observation/fold';
import type { Recorded } from '@/lib/observation/observation';
import { changesWholeType } from '@/lib/observation/whole-type';
import type { TotalsOf } from '@/lib/views/client/build-client-summary';
import { type ChosenReports, isSameReports } from '@/lib/views/client/choose-report';
import { type ClientResource, findResource } from '@/lib/views/client/client-resource';
import { ReportTotals } from '@/lib/views/client/report-totals';

interface Kept {
  readonly reports: ChosenReports;
  readonly totals: ReportTotals;
}

/** Counting the rows of a smaller client takes less than 0.1 ms, and its totals would need more memory. */
const minKeptRows = 200;

/** The totals of each large client of which a summary was built, updated with each fold. */
export class CachedTotals {
  readonly #kept = new WeakMap<ClientState, Kept>();

  readonly of: TotalsOf = (client, reports) => {
    const known = this.#kept.get(client);
    if (known !== undefined && isSameReports(known.reports, reports)) return known.totals;
    const totals = ReportTotals.of(reports);
    const rows = reportsOf(reports).reduce((sum, report) => sum + report.resources.size, 0);
    if (rows >= minKeptRows) this.#kept.set(client, { reports, totals });
    else this.#kept.delete(client);
    return totals;
  };

  /** Folds the observation and counts the difference, which needs the rows from before the fold. */
  follow(observation: Recorded, world: World, fold: () => FoldEffect): FoldEffect {
    const client = 'clientId' in observation ? world.get(observation.clientId) : undefined;
    const kept = client && this.#kept.get(client);
    if (client === undefined || kept === undefined) return fold();
    const { reports, totals } = kept;
    const report = client.reports.get(observation.sourceId);
    if (report === undefined || !reportsOf(reports).includes(report)) return fold();
    // The version or the answer of a type may be that of any number of rows.
    if ('typeVersions' in observation || changesWholeType(observation)) this.#kept.delete(client);
    if (!('changed' in observation)) {
      const effect = fold();
      // The observation removed the rows of a client without naming them.
      if (effect.changes.removed.length > 0) this.#kept.delete(client);
      return effect;
    }
    const before = new Map<string, ClientResource | undefined>();
    for (const key of [...observation.changed, ...observation.removed].map(resourceKey)) {
      before.set(key, findResource(reports, key));
    }
    const effect = fold();
    for (const [key, row] of before) totals.replace(row, findResource(reports, key));
    return effect;
  }
}

function reportsOf({ clientReport, answers, otherTaps, controlPlaneReport }: ChosenReports): ClientReport[] {
  const all = [clientReport, answers, controlPlaneReport, ...otherTaps.map(({ report }) => report)];
  return all.filter((report) => report !== undefined);
}
