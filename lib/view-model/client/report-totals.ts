import type { ClientReport } from '../../observation/client-state';
import { resourceKey } from '../../observation/client-state';
import type { ResourceState } from '../../observation/observation';
import { type ClientStatus, type ConfigStatus, isTrouble } from '../../xds/status';
import { ContentSum } from '../fleet/content-sum';

/** What a summary reports the rows of one type. */
export interface TypeTotals {
  total: number;
  /** How many rows there are of each, never 0; of those alone that the client reports. */
  readonly clientStatuses: Map<ClientStatus, number>;
  readonly configStatuses: Map<ConfigStatus, number>;
  readonly versions: Map<string, number>;
  readonly changes: Map<number, number>;
  /** Of rows that tell one. */
  sized: number;
  sizeBytes: number;
  /** In the v2 API. */
  v2: number;
  /** Without a body. */
  unreported: number;
  /** Names and bodies. */
  readonly content: ContentSum;
}

/** The client's word and the control plane's; undefined where nobody speaks for a side. */
export interface BothWords {
  readonly own: Pick<ClientReport, 'resources'> | undefined;
  readonly theirs: Pick<ClientReport, 'resources'> | undefined;
}

/** What is counted of one resource, as buildResourceRows() shows it. */
export interface CountedRow {
  /** The client's word; where it says nothing, the control plane's. */
  readonly state: ResourceState;
  readonly configStatus: ConfigStatus;
  readonly isOwn: boolean;
}

/** undefined: neither side names the resource. */
export function findCountedRow({ own, theirs }: BothWords, key: string): CountedRow | undefined {
  const state = own?.resources.get(key);
  const their = theirs?.resources.get(key);
  if (state !== undefined) {
    return { state, configStatus: their?.configStatus ?? state.configStatus, isOwn: true };
  }
  return their && { state: their, configStatus: their.configStatus, isOwn: false };
}

/**
 * Counts over the rows of a client that follow its changes, so that the summary of a client with 100,000 rows costs what
 * changed. MUTABLE: whoever changes a report reports each row.
 */
export class ReportTotals {
  readonly types = new Map<string, TypeTotals>();
  /** Rows that somebody should look at, by resourceKey(). */
  readonly trouble = new Map<string, ResourceState>();

  static of(words: BothWords): ReportTotals {
    const totals = new ReportTotals();
    for (const key of words.own?.resources.keys() ?? []) {
      totals.replace(undefined, findCountedRow(words, key));
    }
    for (const key of words.theirs?.resources.keys() ?? []) {
      if (words.own?.resources.has(key) !== true) totals.replace(undefined, findCountedRow(words, key));
    }
    return totals;
  }

  /** One row became another; undefined where there was none, or is none. */
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
