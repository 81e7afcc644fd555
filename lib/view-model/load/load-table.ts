import type { LoadRow } from '../../api/schema';
import { compareNames } from '../../format/compare-names';
import { formatIsoTime } from '../../format/iso-time';
import type {
  ClusterLoad,
  LoadReported,
  Locality,
  LocalityLoad,
  Vantage,
} from '../../observation/observation';
import type { EpochMs } from '../../xds/units';

/**
 * Sums of load reports, per client, cluster and locality. Counters in a report are deltas and are added; requests in
 * progress are a gauge and replace the one before (LRS, load_report.proto). A locality that a report leaves out had
 * nothing to tell: its gauge stays. Kept for each source: a report on its way through a tap to our own receiver is seen
 * twice, and counts once.
 */
export type LoadTable = Map<string, ClusterSums>;

interface ClusterSums {
  readonly clientId: string;
  readonly vantage: Vantage;
  readonly clusterName: string;
  readonly clusterServiceName: string;
  reports: number;
  firstReportAt: EpochMs;
  lastReportAt: EpochMs;
  intervalMs: number | null;
  totalDropped: bigint;
  readonly dropped: Map<string, bigint>;
  readonly localities: Map<string, LocalitySums>;
}

interface LocalitySums {
  readonly locality: Locality;
  readonly priority: number;
  successful: bigint;
  errors: bigint;
  issued: bigint | null;
  inProgress: bigint;
  /** Of the newest report that names the locality. */
  newest: { successful: bigint; errors: bigint; intervalMs: number | null; at: EpochMs };
}

/** MUTATES `table`. */
export function foldLoad(table: LoadTable, report: LoadReported): void {
  for (const cluster of report.clusters) foldCluster(table, report, cluster);
}

function foldCluster(table: LoadTable, report: LoadReported, cluster: ClusterLoad): void {
  const { sourceId, clientId, at } = report;
  const key = JSON.stringify([sourceId, clientId, cluster.clusterName, cluster.clusterServiceName]);
  const sums = table.get(key) ?? newClusterSums(report, cluster);
  table.set(key, sums);
  sums.reports += 1;
  sums.lastReportAt = at;
  sums.intervalMs = cluster.intervalMs;
  sums.totalDropped += BigInt(cluster.totalDropped);
  for (const { category, count } of cluster.dropped) {
    sums.dropped.set(category, (sums.dropped.get(category) ?? 0n) + BigInt(count));
  }
  for (const load of cluster.localities) foldLocality(sums, load, at);
}

function newClusterSums({ clientId, vantage, at }: LoadReported, cluster: ClusterLoad): ClusterSums {
  return {
    clientId,
    vantage,
    clusterName: cluster.clusterName,
    clusterServiceName: cluster.clusterServiceName,
    reports: 0,
    firstReportAt: at,
    lastReportAt: at,
    intervalMs: null,
    totalDropped: 0n,
    dropped: new Map(),
    localities: new Map(),
  };
}

function foldLocality(cluster: ClusterSums, load: LocalityLoad, at: EpochMs): void {
  const { region, zone, subZone } = load.locality;
  const key = JSON.stringify([load.priority, region, zone, subZone]);
  const successful = BigInt(load.successful);
  const errors = BigInt(load.errors);
  const before = cluster.localities.get(key);
  const issued = load.issued === null ? null : BigInt(load.issued);
  cluster.localities.set(key, {
    locality: load.locality,
    priority: load.priority,
    successful: (before?.successful ?? 0n) + successful,
    errors: (before?.errors ?? 0n) + errors,
    // Unknown once is unknown for the sum: a partial sum would look like a real one.
    issued: issued === null || before?.issued === null ? null : (before?.issued ?? 0n) + issued,
    inProgress: BigInt(load.inProgress),
    newest: { successful, errors, intervalMs: cluster.intervalMs, at },
  });
}

export function buildLoadRows(table: LoadTable, nodeIdOf: (clientId: string) => string): LoadRow[] {
  return chooseSums(table.values())
    .map((sums) => ({
      clientId: sums.clientId,
      nodeId: nodeIdOf(sums.clientId),
      clusterName: sums.clusterName,
      clusterServiceName: sums.clusterServiceName,
      reports: sums.reports,
      firstReportAt: formatIsoTime(sums.firstReportAt),
      lastReportAt: formatIsoTime(sums.lastReportAt),
      intervalMs: sums.intervalMs,
      totalDropped: String(sums.totalDropped),
      dropped: [...sums.dropped].map(([category, count]) => ({ category, count: String(count) })),
      localities: [...sums.localities.values()].map((locality) => ({
        locality: locality.locality,
        priority: locality.priority,
        successful: String(locality.successful),
        errors: String(locality.errors),
        issued: locality.issued === null ? null : String(locality.issued),
        inProgress: String(locality.inProgress),
        successfulPerSecond: ratePerSecond(locality.newest.successful, locality.newest.intervalMs),
        errorsPerSecond: ratePerSecond(locality.newest.errors, locality.newest.intervalMs),
      })),
    }))
    .sort((a, b) => compareNames(a.nodeId, b.nodeId) || compareNames(a.clusterName, b.clusterName));
}

/**
 * Of those that tell the same client's load to the same cluster, one: the receiver of the reports, who misses none of
 * them, before a tap; of two of a kind the one who heard more.
 */
function chooseSums(all: Iterable<ClusterSums>): ClusterSums[] {
  const chosen = new Map<string, ClusterSums>();
  for (const sums of all) {
    const key = JSON.stringify([sums.clientId, sums.clusterName, sums.clusterServiceName]);
    const other = chosen.get(key);
    if (other === undefined || isBetter(sums, other)) chosen.set(key, sums);
  }
  return [...chosen.values()];
}

function isBetter(a: ClusterSums, b: ClusterSums): boolean {
  if (a.vantage === b.vantage) return a.reports > b.reports;
  return a.vantage === 'lrs';
}

/** LRS: rates are taken over the interval as reported, not as configured. null when it was not told. */
function ratePerSecond(count: bigint, intervalMs: number | null): number | null {
  return intervalMs === null || intervalMs <= 0 ? null : Number(count) / (intervalMs / 1000);
}
