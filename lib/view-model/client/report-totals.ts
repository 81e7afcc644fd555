import type { ClientReport } from '../../observation/client-state';
import { resourceKey } from '../../observation/client-state';
import type { ResourceState } from '../../observation/observation';
import { type ClientStatus, type ConfigStatus, isTrouble } from '../../xds/status';

/** What a summary tells of the rows of one type. */
export interface TypeTotals {
  total: number;
  /** How many rows there are of each; never 0. */
  readonly clientStatuses: Map<ClientStatus, number>;
  readonly configStatuses: Map<ConfigStatus, number>;
  readonly versions: Map<string, number>;
  readonly changes: Map<number, number>;
  /** Of rows that tell one. */
  sized: number;
  sizeBytes: number;
  /** In the v2 API. */
  v2: number;
}

/**
 * Counts over the rows of a report that follow its changes, so that the summary of a client with 100,000 rows costs what
 * changed. MUTABLE: whoever changes the report tells of each row.
 */
export class ReportTotals {
  readonly types = new Map<string, TypeTotals>();
  /** Rows that somebody should look at, by resourceKey(). */
  readonly trouble = new Map<string, ResourceState>();

  static of({ resources }: Pick<ClientReport, 'resources'>): ReportTotals {
    const totals = new ReportTotals();
    for (const row of resources.values()) totals.replace(undefined, row);
    return totals;
  }

  /** One row became another; undefined where there was none, or is none. */
  replace(before: ResourceState | undefined, now: ResourceState | undefined): void {
    if (before !== undefined) this.#count(before, -1);
    if (now !== undefined) this.#count(now, 1);
  }

  #count(row: ResourceState, by: 1 | -1): void {
    const totals = this.types.get(row.typeUrl) ?? noTotals();
    totals.total += by;
    if (row.apiVersion === 'v2') totals.v2 += by;
    bump(totals.clientStatuses, row.clientStatus, by);
    bump(totals.configStatuses, row.configStatus, by);
    bump(totals.versions, row.versionInfo, by);
    bump(totals.changes, row.changedAt, by);
    if (row.sizeBytes !== null) {
      totals.sized += by;
      totals.sizeBytes += by * row.sizeBytes;
    }
    if (totals.total === 0) this.types.delete(row.typeUrl);
    else this.types.set(row.typeUrl, totals);
    if (!isTrouble(row.clientStatus)) return;
    if (by === 1) this.trouble.set(resourceKey(row), row);
    else this.trouble.delete(resourceKey(row));
  }
}

function noTotals(): TypeTotals {
  return {
    total: 0,
    clientStatuses: new Map(),
    configStatuses: new Map(),
    versions: new Map(),
    changes: new Map(),
    sized: 0,
    sizeBytes: 0,
    v2: 0,
  };
}

function bump<T>(counts: Map<T, number>, key: T, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
