import { by, byDescending, inTurn } from '../../collections/compare';
import type { Steps } from '../../cooperative/steps';
import { compareNames } from '../../format/compare-names';
import { formatCounted } from '../../format/count';
import { addCounts, type Count, parseCount } from '../../load/count';
import { fitLoad, type LoadAdmission, overflowCluster } from '../../load/fit-load';
import { defaultLoadLimits, describeLimits, type LoadLimits, type LoadUse } from '../../load/load-limits';
import { type LoadPart, loadPartKey } from '../../load/load-series';
import type { ClusterLoad, LoadReported, LocalityLoad } from '../../observation/observation';
import type { EpochMs } from '../../xds/units';
import type { ClientSums, ClusterSums, LocalitySums, SharedRow } from './client-sums';
import type { InFlight, InFlightLine, LoadRows, LoadRowsQuery } from './load-rows';
import type { LoadRow } from './rows-schema';

/** A gauge is unknown after three missed reports, and not before a minute. */
const missedReports = 3;
const leastMs = 60_000;
const rowsPerStep = 2_000;

const clusterPart: LoadPart = { kind: 'cluster' };
const clusterPartKey = loadPartKey(clusterPart);

/**
 * Sums of load reports by client, cluster and locality. LRS, load_report.proto: counters are deltas, and are added; requests
 * in progress are a gauge, which replaces the previous value. The gauge of a locality that a report omits is kept. Sums
 * are kept for each source, since a report that passes a tap on its way to our receiver is observed twice. MUTABLE.
 */
export class LoadTable {
  readonly #limits: LoadLimits;

  /** The rows of all clients by their keys. */
  readonly #rows = new Map<string, SharedRow>();
  /** The sums by source and client. */
  readonly #clients = new Map<string, Map<string, ClientSums>>();
  #rowsAdded = 0;
  readonly #used: LoadUse = { clients: 0, rows: 0, nameChars: 0 };
  readonly #beyond = { rows: 0, reports: 0 };
  /** Reports before those that were added, which the log does not have. */
  #leftOut = 0;

  constructor(limits: LoadLimits = defaultLoadLimits) {
    this.#limits = limits;
  }

  /** The counts to which the limits apply. */
  get used(): Readonly<LoadUse> {
    return this.#used;
  }

  /** Rows and reports beyond the limits since the start. */
  get beyond(): { readonly rows: number; readonly reports: number } {
    return this.#beyond;
  }

  /** Describes the limits that were exceeded, with expected and actual values. */
  get notices(): string[] {
    return describeLimits(this.#limits, this.#used, this.#beyond);
  }

  /** Adds a report, and returns the part that has room; undefined if there are too many clients. */
  fold(report: LoadReported): LoadReported | undefined {
    this.#leftOut += report.leftOut ?? 0;
    const client = this.#clientOf(report);
    if (client === undefined) {
      this.#beyond.reports += 1;
      return undefined;
    }
    const { clusters, overflowed } = fitLoad(report.clusters, this.#admissionOf(client));
    this.#beyond.rows += overflowed;
    for (const cluster of clusters) this.#foldCluster(client, cluster, report.at);
    return overflowed === 0 ? report : { ...report, clusters };
  }

  #clientOf({ sourceId, clientId, vantage }: LoadReported): ClientSums | undefined {
    const clients = this.#clients.get(sourceId) ?? new Map<string, ClientSums>();
    const known = clients.get(clientId);
    if (known !== undefined) return known;
    if (this.#used.clients >= this.#limits.clients) return undefined;
    const client: ClientSums = {
      ...{ sourceId, clientId, vantage, clusters: new Map(), rows: 0 },
    };
    this.#used.clients += 1;
    this.#clients.set(sourceId, clients);
    clients.set(clientId, client);
    return client;
  }

  #admissionOf(client: ClientSums): LoadAdmission {
    let coming = 0;
    /** A duplicate row of a report counts twice, which only leaves room unused. */
    const admit = (cluster: ClusterLoad, part: LoadPart): boolean => {
      const partKey = loadPartKey(part);
      const clusterKey = keyOf(cluster);
      if (hasRow(client.clusters.get(clusterKey), part, partKey)) return true;
      const { rows, rowsOfClient, nameChars, allNameChars } = this.#limits;
      const key = keyOf(cluster, partKey);
      const isKnown = this.#rows.has(key);
      const hasRoom =
        this.#used.rows + coming < rows &&
        client.rows + coming < rowsOfClient &&
        (isKnown ||
          (charsOf(cluster, part) <= nameChars && this.#used.nameChars + key.length <= allNameChars));
      if (hasRoom) coming += 1;
      return hasRoom;
    };
    return {
      cluster: (cluster) => cluster.clusterName === overflowCluster || admit(cluster, clusterPart),
      locality: (cluster, { locality, priority }) => admit(cluster, { kind: 'locality', locality, priority }),
      category: (cluster, category) => admit(cluster, { kind: 'drop', category }),
    };
  }

  removeClient(clientId: string): void {
    for (const [sourceId, clients] of this.#clients) {
      const client = clients.get(clientId);
      if (client === undefined) continue;
      clients.delete(clientId);
      if (clients.size === 0) this.#clients.delete(sourceId);
      this.#release(client);
    }
  }

  removeSource(sourceId: string): void {
    const clients = this.#clients.get(sourceId);
    this.#clients.delete(sourceId);
    for (const client of clients?.values() ?? []) this.#release(client);
  }

  #release(client: ClientSums): void {
    this.#used.clients -= 1;
    for (const cluster of client.clusters.values()) {
      this.#releaseRow(cluster.row);
      for (const { row } of cluster.dropped?.values() ?? []) this.#releaseRow(row);
      for (const { row } of cluster.localities.values()) this.#releaseRow(row);
    }
  }

  #releaseRow(row: SharedRow): void {
    this.#used.rows -= 1;
    row.users -= 1;
    if (row.users > 0) return;
    this.#rows.delete(row.key);
    this.#used.nameChars -= row.key.length;
  }

  /** Returns a row that is new for the client. */
  #addRow(client: ClientSums, { clusterName, clusterServiceName }: ClusterLoad, part: LoadPart): SharedRow {
    client.rows += 1;
    this.#used.rows += 1;
    const names = { clusterName, clusterServiceName };
    const partKey = loadPartKey(part);
    const key = keyOf(names, partKey);
    const row = this.#rows.get(key) ?? { key, partKey, ...names, part, order: this.#rowsAdded++, users: 0 };
    if (row.users === 0) {
      this.#rows.set(key, row);
      this.#used.nameChars += key.length;
    }
    row.users += 1;
    return row;
  }

  #foldCluster(client: ClientSums, cluster: ClusterLoad, now: EpochMs): void {
    const { intervalMs } = cluster;
    const sums = client.clusters.get(keyOf(cluster)) ?? this.#addCluster(client, cluster, now);
    sums.reports += 1;
    sums.lastAt = now;
    sums.intervalMs = intervalMs;
    sums.totalDropped = addCounts(sums.totalDropped, parseCount(cluster.totalDropped));
    for (const { category, count } of cluster.dropped) this.#foldDrop(sums, cluster, category, count);
    for (const load of cluster.localities) this.#foldLocality(sums, cluster, load);
  }

  #addCluster(client: ClientSums, cluster: ClusterLoad, now: EpochMs): ClusterSums {
    const row = this.#addRow(client, cluster, clusterPart);
    const sums: ClusterSums = {
      ...{ client, row, firstAt: now, lastAt: now, reports: 0, intervalMs: null, totalDropped: 0 },
      localities: new Map(),
    };
    client.clusters.set(row.key, sums);
    return sums;
  }

  #foldDrop(sums: ClusterSums, cluster: ClusterLoad, category: string, count: string): void {
    const part: LoadPart = { kind: 'drop', category };
    sums.dropped ??= new Map();
    const known = sums.dropped.get(loadPartKey(part));
    const drop = known ?? { row: this.#addRow(sums.client, cluster, part), count: 0 };
    if (known === undefined) sums.dropped.set(drop.row.partKey, drop);
    drop.count = addCounts(drop.count, parseCount(count));
  }

  #foldLocality(sums: ClusterSums, cluster: ClusterLoad, load: LocalityLoad): void {
    const { locality, priority } = load;
    const { localities } = sums;
    const part: LoadPart = { kind: 'locality', locality, priority };
    const known = localities.get(loadPartKey(part));
    const own: LocalitySums = known ?? {
      row: this.#addRow(sums.client, cluster, part),
      ...{ successful: 0, errors: 0, issued: 0, inProgress: 0 },
      ...{ successfulPerSecond: undefined, errorsPerSecond: undefined },
    };
    if (known === undefined) localities.set(own.row.partKey, own);
    const [successful, errors] = [parseCount(load.successful), parseCount(load.errors)];
    own.successful = addCounts(own.successful, successful);
    own.errors = addCounts(own.errors, errors);
    own.issued =
      own.issued === undefined || load.issued === null
        ? undefined
        : addCounts(own.issued, parseCount(load.issued));
    own.successfulPerSecond = ratePerSecond(successful, cluster.intervalMs);
    own.errorsPerSecond = ratePerSecond(errors, cluster.intervalMs);
    own.inProgress = parseCount(load.inProgress);
  }

  /**
   * Sums the requests in progress of all clients by source and locality. A cluster of a client counts until it misses three
   * reports, and at least a minute. Returns at most `mostLines` lines, those with the oldest rows, so that the lines are stable.
   */
  *inFlight(now: EpochMs, mostLines: number): Steps<InFlight> {
    const lines: InFlightLine[] = [];
    let [all, silent, visited] = [0, 0, 0];
    for (const [sourceId, clients] of this.#clients) {
      const sums = new Map<SharedRow, Count>();
      for (const { clusters, rows } of clients.values()) {
        for (const cluster of clusters.values()) {
          if (expiryOf(cluster) < now) silent += 1;
          else
            for (const { row, inProgress } of cluster.localities.values())
              sums.set(row, addCounts(sums.get(row) ?? 0, inProgress));
        }
        visited += rows;
        if (visited < rowsPerStep) continue;
        visited = 0;
        yield;
      }
      all += sums.size;
      const oldest = [...sums].sort(by(([{ order }]) => order)).slice(0, mostLines - lines.length);
      for (const [{ clusterName, part }, inFlight] of oldest) {
        if (part.kind !== 'locality') continue;
        const { locality, priority } = part;
        lines.push({ sourceId, clusterName, locality, priority, inFlight });
      }
    }
    return { lines, dropped: all - lines.length, silent };
  }

  /** Returns the rows with the newest reports, sorted by node and cluster. */
  rows(nodeIdOf: (clientId: string) => string, { client, cluster, limit }: LoadRowsQuery): LoadRows {
    const all = this.#chosen(client).filter(
      ({ row }) => cluster === undefined || row.clusterName === cluster,
    );
    const newest = all.length <= limit ? all : all.sort(byDescending(({ lastAt }) => lastAt)).slice(0, limit);
    const items = newest
      .map((sums) => rowOf(sums, nodeIdOf(sums.client.clientId)))
      .sort(
        inTurn(
          by(({ nodeId }) => nodeId, compareNames),
          by(({ clusterName }) => clusterName, compareNames),
        ),
      );
    const partial =
      this.#leftOut === 0
        ? []
        : [
            `The sums are without ${formatCounted(this.#leftOut, 'report')} that are not in the log: see Over time.`,
          ];
    return { items, total: all.length, notes: [...this.notices, ...partial] };
  }

  /**
   * Chooses one source for each client and cluster: our receiver, which misses no reports, before taps; of the same vantage
   * the source with the most reports.
   */
  #chosen(clientId: string | undefined): ClusterSums[] {
    const chosen = new Map<string, Map<string, ClusterSums>>();
    for (const clients of this.#clients.values()) {
      for (const client of clients.values()) {
        if (clientId !== undefined && client.clientId !== clientId) continue;
        const best = chosen.get(client.clientId) ?? new Map<string, ClusterSums>();
        chosen.set(client.clientId, best);
        for (const [key, sums] of client.clusters) {
          const other = best.get(key);
          if (other === undefined || isBetter(sums, other)) best.set(key, sums);
        }
      }
    }
    return [...chosen.values()].flatMap((all) => [...all.values()]);
  }
}

function expiryOf({ intervalMs, lastAt }: ClusterSums): EpochMs {
  return lastAt + Math.max(leastMs, missedReports * (intervalMs ?? 0));
}

/** Different rows have different keys. */
function keyOf(
  { clusterName, clusterServiceName }: Pick<ClusterLoad, 'clusterName' | 'clusterServiceName'>,
  partKey = clusterPartKey,
): string {
  return `${clusterName}\u0000${clusterServiceName}\u0000${partKey}`;
}

function hasRow(cluster: ClusterSums | undefined, { kind }: LoadPart, partKey: string): boolean {
  if (cluster === undefined || kind === 'cluster') return cluster !== undefined;
  return kind === 'drop' ? cluster.dropped?.has(partKey) === true : cluster.localities.has(partKey);
}

/** The characters of the names of a row, without those of its cluster. */
function charsOf({ clusterName, clusterServiceName }: ClusterLoad, part: LoadPart): number {
  if (part.kind === 'drop') return part.category.length;
  if (part.kind === 'cluster') return clusterName.length + clusterServiceName.length;
  const { region, zone, subZone } = part.locality;
  return region.length + zone.length + subZone.length;
}

function rowOf({ client, row, ...sums }: ClusterSums, nodeId: string): LoadRow {
  const { clusterName, clusterServiceName } = row;
  const { reports, firstAt, lastAt, intervalMs, totalDropped, dropped, localities } = sums;
  return {
    ...{ clientId: client.clientId, nodeId, clusterName, clusterServiceName, reports },
    ...{ firstReportAt: firstAt, lastReportAt: lastAt, intervalMs: intervalMs ?? undefined },
    totalDropped: String(totalDropped),
    dropped: [...(dropped?.values() ?? [])].flatMap(({ row: { part }, count }) =>
      part.kind === 'drop' ? [{ category: part.category, count: String(count) }] : [],
    ),
    localities: [...localities.values()].flatMap(localityOf),
  };
}

function localityOf({ row: { part }, ...sums }: LocalitySums): LoadRow['localities'] {
  if (part.kind !== 'locality') return [];
  const { successful, errors, issued, inProgress, successfulPerSecond, errorsPerSecond } = sums;
  const { locality, priority } = part;
  return [
    {
      ...{ locality, priority, successful: String(successful), errors: String(errors) },
      issued: issued === undefined ? undefined : String(issued),
      ...{ inProgress: String(inProgress), successfulPerSecond, errorsPerSecond },
    },
  ];
}

function isBetter(a: ClusterSums, b: ClusterSums): boolean {
  if (a.client.vantage !== b.client.vantage) return a.client.vantage === 'lrs';
  return a.reports > b.reports;
}

/** LRS: rates are computed from the reported interval, not the configured one. Returns undefined without an interval. */
function ratePerSecond(count: Count, intervalMs: number | null): number | undefined {
  return intervalMs === null || intervalMs <= 0 ? undefined : Number(count) / (intervalMs / 1_000);
}
