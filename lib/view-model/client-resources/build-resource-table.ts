import type { ResourceRow } from '../../api/schema';
import { compareNames } from '../../format/compare-names';
import { compareTypeUrls, formatResourceType, normaliseTypeUrl } from '../../xds/resource-type';
import { type ClientStatus, clientStatusRank } from '../../xds/status';

/** What the reader asks of the table. An empty list of types or statuses means all of them. */
export interface ResourceTableQuery {
  readonly typeUrls: readonly string[];
  readonly statuses: readonly ClientStatus[];
  /** Words; each must occur in the name, the version, the hash or the reason. */
  readonly text: string;
}

export interface TypeChip {
  readonly typeUrl: string;
  readonly label: string;
  readonly count: number;
  readonly selected: boolean;
}

export interface StatusChip {
  readonly status: ClientStatus;
  readonly count: number;
  readonly selected: boolean;
}

export interface ResourceTable {
  /** By type in the fixed order, then by name: what stays of the order among equals of any other sort. */
  readonly rows: readonly ResourceRow[];
  /** Before any filter. */
  readonly total: number;
  /** In the fixed order of types. A chip counts the rows that the other filters leave. */
  readonly typeChips: readonly TypeChip[];
  /** Worst first. */
  readonly statusChips: readonly StatusChip[];
}

export function buildResourceTable(rows: readonly ResourceRow[], query: ResourceTableQuery): ResourceTable {
  const types = new Set(query.typeUrls.map(normaliseTypeUrl));
  const statuses = new Set(query.statuses);
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  // Selected filters keep their chip even at zero, so that they can be taken off again.
  const typeCounts = new Map<string, number>([...types].map((typeUrl) => [typeUrl, 0]));
  const statusCounts = new Map<ClientStatus, number>([...statuses].map((status) => [status, 0]));
  const kept: ResourceRow[] = [];
  for (const row of rows) {
    const typeUrl = normaliseTypeUrl(row.typeUrl);
    const ofType = types.size === 0 || types.has(typeUrl);
    const ofStatus = statuses.size === 0 || statuses.has(row.clientStatus);
    const ofText = words.length === 0 || hasWords(row, words);
    count(typeCounts, typeUrl, ofStatus && ofText);
    count(statusCounts, row.clientStatus, ofType && ofText);
    if (ofType && ofStatus && ofText) kept.push(row);
  }
  return {
    rows: sortByKey(kept),
    total: rows.length,
    typeChips: [...typeCounts]
      .sort(([a], [b]) => compareTypeUrls(a, b))
      .map(([typeUrl, n]) => ({
        typeUrl,
        label: formatResourceType(typeUrl),
        count: n,
        selected: types.has(typeUrl),
      })),
    statusChips: [...statusCounts]
      .sort(([a], [b]) => clientStatusRank(a) - clientStatusRank(b))
      .map(([status, n]) => ({ status, count: n, selected: statuses.has(status) })),
  };
}

function count<K>(counts: Map<K, number>, key: K, isCounted: boolean): void {
  counts.set(key, (counts.get(key) ?? 0) + (isCounted ? 1 : 0));
}

function hasWords(row: ResourceRow, words: readonly string[]): boolean {
  const text = [
    row.name,
    row.versionInfo,
    row.hash ?? '',
    row.errorState?.details ?? '',
    row.errorState?.versionInfo ?? '',
    row.controlPlane?.versionInfo ?? '',
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Ranks are looked up once a type, not once a comparison: 30,000 rows make half a million of those. */
function sortByKey(rows: ResourceRow[]): ResourceRow[] {
  const types = [...new Set(rows.map((row) => row.typeUrl))].sort(compareTypeUrls);
  const rank = new Map(types.map((typeUrl, index) => [typeUrl, index]));
  const rankOf = (row: ResourceRow) => rank.get(row.typeUrl) ?? types.length;
  return rows.sort((a, b) => rankOf(a) - rankOf(b) || compareNames(a.name, b.name));
}
