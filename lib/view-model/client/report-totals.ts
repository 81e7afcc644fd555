import { type ClientReport, resourceKey } from '../../observation/client-state';
import type { ResourceState } from '../../observation/observation';
import { type ClientStatus, type ConfigStatus, isTrouble } from '../../xds/status';
import { ContentSum } from '../fleet/content-sum';

export interface TypeTotals {
  total: number;
  /** Counts by status, never 0, of the rows that the client reports. */
  readonly clientStatuses: Map<ClientStatus, number>;
  readonly configStatuses: Map<ConfigStatus, number>;
  readonly versions: Map<string, number>;
  readonly changes: Map<number, number>;
  sized: number;
  sizeBytes: number;
  /** Rows of the v2 API. */
  v2: number;
  /** Rows without a body. */
  unreported: number;
  /** The sum of names and bodies. */
  readonly content: ContentSum;
}

/** The reports of the client and of the control plane; undefined if there is none. */
export interface BothReports {
  readonly own: Pick<ClientReport, 'resources'> | undefined;
  readonly theirs: Pick<ClientReport, 'resources'> | undefined;
}

/** The counted state of one resource, as in buildResourceRows(). */
export interface CountedRow {
  /** The client's state, or the control plane's if the client does not report the resource. */
  readonly state: ResourceState;
  readonly configStatus: ConfigStatus;
  readonly isOwn: boolean;
}

/** Returns undefined if neither side reports the resource. */
export function findCountedRow({ own, theirs }: BothReports, key: string): CountedRow | undefined {
  const state = own?.resources.get(key);
  const their = theirs?.resources.get(key);
  if (state !== undefined) {
    return { state, configStatus: their?.configStatus ?? state.configStatus, isOwn: true };
  }
  return their && { state: their, configStatus: their.configStatus, isOwn: false };
}

/**
 * Counts over the rows of a client, which are updated row by row, so that the summary of a client with 100,000 rows is fast.
 * MUTABLE. Precondition: replace() is called for each changed row.
 */
export class ReportTotals {
  readonly types = new Map<string, TypeTotals>();
  /** Rows in trouble, by resourceKey(). */
  readonly trouble = new Map<string, ResourceState>();

  static of(reports: BothReports): ReportTotals {
    const totals = new ReportTotals();
    for (const key of reports.own?.resources.keys() ?? []) {
      totals.replace(undefined, findCountedRow(reports, key));
    }
    for (const key of reports.theirs?.resources.keys() ?? []) {
      if (reports.own?.resources.has(key) !== true) totals.replace(undefined, findCountedRow(reports, key));
    }
    return totals;
  }

  /** Replaces a row; undefined stands for no row. */
  replace(before: CountedRow | undefined, now: CountedRow | undefined): void {
    if (before !== undefined) this.#count(before, -1);
    if (now !== undefined) this.#count(now, 1);
  }

  #count({ state: row, configStatus, isOwn }: CountedRow, by: 1 | -1): void {
    const totals = this.types.get(row.typeUrl) ?? noTotals();
    totals.total += by;
    if (row.apiVersion === 'v2') totals.v2 += by;
    if (isOwn) bump(totals.clientStatuses, row.clientStatus, by);
    bump(totals.configStatuses, configStatus, by);
    bump(totals.versions, row.versionInfo, by);
    bump(totals.changes, row.changedAt, by);
    if (row.hash === null) totals.unreported += by;
    totals.content.count(row.name, row.hash, by);
    if (row.sizeBytes !== null) {
      totals.sized += by;
      totals.sizeBytes += by * row.sizeBytes;
    }
    if (totals.total === 0) this.types.delete(row.typeUrl);
    else this.types.set(row.typeUrl, totals);
    if (!isOwn || !isTrouble(row.clientStatus)) return;
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
    unreported: 0,
    content: new ContentSum(),
  };
}

function bump<T>(counts: Map<T, number>, key: T, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
