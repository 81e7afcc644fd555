import type { ResourceRow } from '../../api/schema';
import { compareTypeUrls, formatResourceType, normaliseTypeUrl } from '../../xds/resource-type';
import { type ClientStatus, type ConfigStatus, clientStatusRank } from '../../xds/status';

export const resourceSortColumns = [
  'type',
  'name',
  'status',
  'control-plane',
  'version',
  'updated',
  'changed',
  'size',
  'hash',
] as const;
export type ResourceSortColumn = (typeof resourceSortColumns)[number];

export interface ResourceSort {
  readonly column: ResourceSortColumn;
  readonly descending: boolean;
}

/** What the reader asks of the table. An empty list of types or statuses means all of them. */
export interface ResourceTableQuery {
  readonly typeUrls: readonly string[];
  readonly statuses: readonly ClientStatus[];
  /** Words; each must occur in the name, the version, the hash or the reason. */
  readonly text: string;
  readonly sort: ResourceSort;
}

export const defaultResourceSort: ResourceSort = { column: 'type', descending: false };

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
    rows: kept.sort(compareBy(query.sort)),
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

type Compare = (a: ResourceRow, b: ResourceRow) => number;

/** By type in the fixed order, then by name: the order of the unsorted table, and of equals in any other. */
const byKey: Compare = (a, b) => compareTypeUrls(a.typeUrl, b.typeUrl) || compareText(a.name, b.name);

function compareBy({ column, descending }: ResourceSort): Compare {
  const sign = descending ? -1 : 1;
  switch (column) {
    case 'type':
      return (a, b) => sign * compareTypeUrls(a.typeUrl, b.typeUrl) || compareText(a.name, b.name);
    case 'name':
      return (a, b) => sign * compareText(a.name, b.name) || byKey(a, b);
    case 'status':
      return (a, b) =>
        sign * (clientStatusRank(a.clientStatus) - clientStatusRank(b.clientStatus)) || byKey(a, b);
    case 'control-plane':
      return (a, b) => sign * (configRank(a) - configRank(b)) || byKey(a, b);
    case 'version':
      return (a, b) => sign * compareNatural(a.versionInfo, b.versionInfo) || byKey(a, b);
    case 'updated':
      return nullsLast((row) => timeOf(row.lastUpdated), sign);
    case 'changed':
      return nullsLast((row) => timeOf(row.changedAt), sign);
    case 'size':
      return nullsLast((row) => row.sizeBytes, sign);
    case 'hash':
      return (a, b) =>
        a.hash === null || b.hash === null
          ? Number(a.hash === null) - Number(b.hash === null) || byKey(a, b)
          : sign * compareText(a.hash, b.hash) || byKey(a, b);
  }
}

/** "Not told" is neither the smallest nor the largest: it comes last both ways. */
function nullsLast(numberOf: (row: ResourceRow) => number | null, sign: number): Compare {
  return (a, b) => {
    const left = numberOf(a);
    const right = numberOf(b);
    if (left === null || right === null) return Number(left === null) - Number(right === null) || byKey(a, b);
    return sign * (left - right) || byKey(a, b);
  };
}

function timeOf(iso: string | null): number | null {
  return iso === null ? null : Date.parse(iso);
}

/** Worst first, as with the client's statuses. */
const configOrder: readonly ConfigStatus[] = ['ERROR', 'STALE', 'NOT_SENT', 'SYNCED', 'UNKNOWN'];

function configRank(row: ResourceRow): number {
  return configOrder.indexOf(row.configStatus);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const natural = new Intl.Collator('en', { numeric: true });

/** Versions are opaque, but "10" after "9" is what a reader expects of most of them. */
function compareNatural(a: string, b: string): number {
  return natural.compare(a, b);
}
