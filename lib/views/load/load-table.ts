import { by, byDescending, inTurn } from '../../collections/compare';
import type { Steps } from '../../cooperative/steps';
import { compareNames } from '../../format/compare-names';
import { type Count, parseCount } from '../../load/count';
import { CountColumn } from '../../load/count-column';
import { fitLoad, type LoadAdmission, overflowCluster } from '../../load/fit-load';
import { defaultLoadLimits, describeLimits, type LoadLimits, type LoadUse } from '../../load/load-limits';
import { RowNames } from '../../load/row-names';
import type { ClusterLoad, LoadReported, LocalityLoad } from '../../observation/observation';
import type { EpochMs } from '../../xds/units';
import {
  type ClientSums,
  clusterColumns,
  columnCount,
  dropColumns,
  localityColumns,
  type Row,
  type RowName,
} from './client-sums';
import { InFlightSums, isCounted } from './in-flight-sums';
import type { InFlight, LoadRows, LoadRowsQuery } from './load-rows';
import type { LoadRow } from './rows-schema';

const manyRows = 200;

/** A cluster of a client. Its counts start at `at`. */
interface ClusterSums {
  readonly client: ClientSums;
  readonly row: number;
  readonly at: number;
}

/**
 * Sums of load reports by client, cluster and locality. LRS, load_report.proto: counters are deltas, and are added; requests
 * in progress are a gauge, which replaces the previous value. The gauge of a locality that a report omits is kept. Sums
 * are kept for each source, since a report that passes a tap on its way to our receiver is observed twice. There may be
 * half a million localities, so that rows are not objects. MUTABLE.
 */
export class LoadTable {
  readonly #limits: LoadLimits;

  readonly #names = new RowNames();
  readonly #rows = new Map<number, Row>();
  /** The sums by source and client. */
  readonly #clients = new Map<string, Map<string, ClientSums>>();
  readonly #inFlight = new InFlightSums((number) => this.#rows.get(number));
  readonly #used: LoadUse = { clients: 0, rows: 0, nameChars: 0 };
  readonly #beyond = { rows: 0, reports: 0 };

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
    const client = this.#clientOf(report);
    if (client === undefined) {
      this.#beyond.reports += 1;
      return undefined;
    }
    const { clusters, overflowed } = fitLoad(report.clusters, this.#admissionOf(client));
    this.#beyond.rows += overflowed;
    const resumed = new Set<number>();
    for (const cluster of clusters) this.#foldCluster(client, cluster, report.at, resumed);
    if (resumed.size > 0) this.#inFlight.resume(client, resumed);
    return overflowed === 0 ? report : { ...report, clusters };
  }

  #clientOf({ sourceId, clientId, vantage }: LoadReported): ClientSums | undefined {
    const clients = this.#clients.get(sourceId) ?? new Map<string, ClientSums>();
    const known = clients.get(clientId);
    if (known !== undefined) return known;
    if (this.#used.clients >= this.#limits.clients) return undefined;
    const client: ClientSums = {
      ...{ sourceId, clientId, vantage, places: new Map(), counts: new CountColumn(0), isRemoved: false },
    };
    this.#used.clients += 1;
    this.#clients.set(sourceId, clients);
    clients.set(clientId, client);
    return client;
  }

  #admissionOf(client: ClientSums): LoadAdmission {
    const names = this.#names;
    const { places } = client;
    let coming = 0;
    /** A duplicate row of a report counts twice, which only leaves room unused. */
    const admit = (row: number | undefined, chars: number): boolean => {
      if (row !== undefined && places.has(row)) return true;
      const { rows, rowsOfClient, nameChars, allNameChars } = this.#limits;
      const hasRoom =
        this.#used.rows + coming < rows &&
        places.size + coming < rowsOfClient &&
        (row !== undefined || (chars <= nameChars && this.#used.nameChars + chars <= allNameChars));
      if (hasRoom) coming += 1;
      return hasRoom;
    };
    const numberOf = ({ clusterName, clusterServiceName }: ClusterLoad) =>
      names.findCluster(clusterName, clusterServiceName);
    return {
      cluster: (cluster) =>
        cluster.clusterName === overflowCluster ||
        admit(numberOf(cluster), cluster.clusterName.length + cluster.clusterServiceName.length),
      locality: (cluster, { locality, priority }) => {
        const number = numberOf(cluster);
        const { region, zone, subZone } = locality;
        const chars = region.length + zone.length + subZone.length;
        return admit(number === undefined ? number : names.findLocality(number, locality, priority), chars);
      },
      category: (cluster, category) => {
        const number = numberOf(cluster);
        return admit(number === undefined ? number : names.findCategory(number, category), category.length);
      },
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
    const { places } = client;
    this.#inFlight.remove(client);
    client.isRemoved = true;
    this.#used.clients -= 1;
    this.#used.rows -= places.size;
    for (const number of places.keys()) {
      const row = this.#rows.get(number);
      if (row === undefined) continue;
      row.users -= 1;
      if (row.users > 0) continue;
      this.#rows.delete(number);
      this.#used.nameChars -= charsOf(row);
      if (row.kind === 'cluster') this.#names.removeCluster(row.clusterName, row.clusterServiceName);
      else if (row.kind === 'drop') this.#names.removeCategory(row.cluster, row.category);
      else this.#names.removeLocality(row.cluster, row.locality, row.priority);
    }
  }

  /** ADDS clusters that are not in InFlightSums to `resumed`. */
  #foldCluster(client: ClientSums, cluster: ClusterLoad, now: EpochMs, resumed: Set<number>): void {
    const { clusterName, clusterServiceName, intervalMs } = cluster;
    const number = this.#names.clusterOf(clusterName, clusterServiceName);
    const isNew = !client.places.has(number);
    const at = this.#placeOf(client, number, cluster, () => ({
      ...{ kind: 'cluster', clusterName, clusterServiceName },
    }));
    const { counts } = client;
    counts.add(at + clusterColumns.reports, 1);
    if (isNew) counts.set(at + clusterColumns.firstAt, now);
    counts.set(at + clusterColumns.lastAt, now);
    counts.set(at + clusterColumns.intervalMs, intervalMs ?? -1);
    counts.add(at + clusterColumns.totalDropped, parseCount(cluster.totalDropped));
    for (const { category, count } of cluster.dropped) {
      const row = this.#names.categoryOf(number, category);
      const place = this.#placeOf(client, row, cluster, () => ({ kind: 'drop', cluster: number, category }));
      counts.add(place + dropColumns.count, parseCount(count));
    }
    if (isNew) this.#inFlight.begin(client, number);
    const isInSums = isCounted(client, at);
    if (!isInSums) resumed.add(number);
    for (const load of cluster.localities) this.#foldLocality(client, number, cluster, load, isInSums);
  }

  #foldLocality(
    client: ClientSums,
    number: number,
    cluster: ClusterLoad,
    load: LocalityLoad,
    isInSums: boolean,
  ): void {
    const { locality, priority } = load;
    const { counts } = client;
    const row = this.#names.localityOf(number, locality, priority);
    const isNew = !client.places.has(row);
    const at = this.#placeOf(client, row, cluster, () => ({
      ...{ kind: 'locality', cluster: number, locality, priority },
    }));
    const [successful, errors] = [parseCount(load.successful), parseCount(load.errors)];
    counts.add(at + localityColumns.successful, successful);
    counts.add(at + localityColumns.errors, errors);
    if (load.issued === null) counts.add(at + localityColumns.issuedUnknown, 1);
    else counts.add(at + localityColumns.issued, parseCount(load.issued));
    const inProgress = parseCount(load.inProgress);
    if (isInSums) {
      const before = counts.get(at + localityColumns.inProgress);
      this.#inFlight.change(client, row, { before, after: inProgress }, isNew ? 1 : 0);
    }
    counts.set(at + localityColumns.inProgress, inProgress);
    counts.set(at + localityColumns.newestSuccessful, successful);
    counts.set(at + localityColumns.newestErrors, errors);
    counts.set(at + localityColumns.newestIntervalMs, cluster.intervalMs ?? -1);
  }

  /** Returns the start of a row's counts. For a new cluster the column grows once for all its rows. */
  #placeOf(client: ClientSums, row: number, cluster: ClusterLoad, rowOf: () => RowName): number {
    const { places, counts } = client;
    const known = places.get(row);
    if (known !== undefined) return known * columnCount;
    this.#addRow(row, rowOf);
    const place = places.size;
    places.set(row, place);
    const coming = 1 + cluster.localities.length + cluster.dropped.length;
    if (counts.length < places.size * columnCount) {
      const needed = (place + coming) * columnCount;
      // Most clients report all rows at once. For those that add rows the column grows geometrically.
      counts.grow(place < manyRows ? needed : Math.max(needed, Math.ceil(counts.length * 1.25)));
    }
    return place * columnCount;
  }

  /** Returns the requests in progress of all clients; see InFlightSums. */
  inFlight(now: EpochMs, mostLines: number): Steps<InFlight> {
    return this.#inFlight.read(now, mostLines, (number) => {
      const row = this.#rows.get(number);
      return row?.kind === 'locality' ? { ...row, ...this.#clusterOf(row.cluster) } : undefined;
    });
  }

  #addRow(number: number, rowOf: () => RowName): void {
    this.#used.rows += 1;
    const known = this.#rows.get(number);
    if (known !== undefined) {
      known.users += 1;
      return;
    }
    const row = { ...rowOf(), users: 1 };
    this.#rows.set(number, row);
    this.#used.nameChars += charsOf(row);
  }

  /** Returns the rows with the newest reports, sorted by node and cluster. */
  rows(nodeIdOf: (clientId: string) => string, { client, cluster, limit }: LoadRowsQuery): LoadRows {
    const all = this.#chosen(client).filter(
      ({ row }) => cluster === undefined || this.#clusterOf(row).clusterName === cluster,
    );
    const lastAtOf = ({ client: { counts }, at }: ClusterSums) =>
      Number(counts.get(at + clusterColumns.lastAt));
    const newest = all.length <= limit ? all : all.sort(byDescending(lastAtOf)).slice(0, limit);
    const items = newest
      .map((sums) => this.#rowOf(sums.client, sums.row, sums.at, nodeIdOf(sums.client.clientId)))
      .sort(
        inTurn(
          by(({ nodeId }) => nodeId, compareNames),
          by(({ clusterName }) => clusterName, compareNames),
        ),
      );
    return { items, total: all.length, notes: this.notices };
  }

  #clusterOf(number: number): { readonly clusterName: string; readonly clusterServiceName: string } {
    const row = this.#rows.get(number);
    return row?.kind === 'cluster' ? row : noCluster;
  }

  /**
   * Chooses one source for each client and cluster: our receiver, which misses no reports, before taps; of the same vantage
   * the source with the most reports.
   */
  #chosen(clientId: string | undefined): ClusterSums[] {
    const chosen = new Map<string, Map<number, ClusterSums>>();
    for (const clients of this.#clients.values()) {
      for (const client of clients.values()) {
        if (clientId !== undefined && client.clientId !== clientId) continue;
        const best = chosen.get(client.clientId) ?? new Map<number, ClusterSums>();
        chosen.set(client.clientId, best);
        for (const [row, place] of client.places) {
          if (this.#rows.get(row)?.kind !== 'cluster') continue;
          const sums = { client, row, at: place * columnCount };
          const other = best.get(row);
          if (other === undefined || isBetter(sums, other)) best.set(row, sums);
        }
      }
    }
    return [...chosen.values()].flatMap((all) => [...all.values()]);
  }

  #rowOf(client: ClientSums, cluster: number, at: number, nodeId: string): LoadRow {
    const { clientId, counts, places } = client;
    const { clusterName, clusterServiceName } = this.#clusterOf(cluster);
    const dropped: LoadRow['dropped'] = [];
    const localities: LoadRow['localities'] = [];
    for (const [number, place] of places) {
      const row = this.#rows.get(number);
      if (row === undefined || row.kind === 'cluster' || row.cluster !== cluster) continue;
      const from = place * columnCount;
      if (row.kind === 'locality') localities.push(localityOf(counts, from, row));
      else dropped.push({ category: row.category, count: String(counts.get(from + dropColumns.count)) });
    }
    const intervalMs = Number(counts.get(at + clusterColumns.intervalMs));
    return {
      ...{ clientId, nodeId, clusterName, clusterServiceName },
      reports: Number(counts.get(at + clusterColumns.reports)),
      firstReportAt: Number(counts.get(at + clusterColumns.firstAt)),
      lastReportAt: Number(counts.get(at + clusterColumns.lastAt)),
      intervalMs: intervalMs < 0 ? undefined : intervalMs,
      totalDropped: String(counts.get(at + clusterColumns.totalDropped)),
      ...{ dropped, localities },
    };
  }
}

/** The memory of a row besides its names, in characters. */
const charsOfRow = 16;

function charsOf(row: RowName): number {
  if (row.kind === 'cluster') return charsOfRow + row.clusterName.length + row.clusterServiceName.length;
  if (row.kind === 'drop') return charsOfRow + row.category.length;
  const { region, zone, subZone } = row.locality;
  return charsOfRow + region.length + zone.length + subZone.length;
}

const noCluster = { clusterName: '', clusterServiceName: '' };

function localityOf(
  counts: CountColumn,
  at: number,
  { locality, priority }: Pick<Extract<Row, { kind: 'locality' }>, 'locality' | 'priority'>,
): LoadRow['localities'][number] {
  const countOf = (column: number): Count => counts.get(at + column);
  const intervalMs = Number(countOf(localityColumns.newestIntervalMs));
  return {
    ...{ locality, priority },
    successful: String(countOf(localityColumns.successful)),
    errors: String(countOf(localityColumns.errors)),
    // The sum is unknown if a report lacks the value.
    issued:
      countOf(localityColumns.issuedUnknown) === 0 ? String(countOf(localityColumns.issued)) : undefined,
    inProgress: String(countOf(localityColumns.inProgress)),
    successfulPerSecond: ratePerSecond(countOf(localityColumns.newestSuccessful), intervalMs),
    errorsPerSecond: ratePerSecond(countOf(localityColumns.newestErrors), intervalMs),
  };
}

function isBetter(a: ClusterSums, b: ClusterSums): boolean {
  if (a.client.vantage !== b.client.vantage) return a.client.vantage === 'lrs';
  const reportsOf = ({ client, at }: ClusterSums) => Number(client.counts.get(at + clusterColumns.reports));
  return reportsOf(a) > reportsOf(b);
}

/** LRS: rates are computed from the reported interval, not the configured one. Returns null without an interval. */
function ratePerSecond(count: Count, intervalMs: number): number | undefined {
  return intervalMs <= 0 ? undefined : Number(count) / (intervalMs / 1_000);
}
