import type { LoadRow } from '../../api/schema';
import { compareNames } from '../../format/compare-names';
import { formatIsoTime } from '../../format/iso-time';
import { addCounts, type Count, parseCount } from '../../load/count';
import { CountColumn } from '../../load/count-column';
import { RowNames } from '../../load/row-names';
import type {
  ClusterLoad,
  LoadReported,
  Locality,
  LocalityLoad,
  Vantage,
} from '../../observation/observation';
import type { EpochMs } from '../../xds/units';

/** What the numbers of a row mean. */
type Row =
  | { readonly kind: 'cluster'; readonly clusterName: string; readonly clusterServiceName: string }
  | { readonly kind: 'drop'; readonly cluster: number; readonly category: string }
  | {
      readonly kind: 'locality';
      readonly cluster: number;
      readonly locality: Locality;
      readonly priority: number;
    };

/** `intervalMs`: -1 where it was not told. */
const clusterColumns = { reports: 0, firstAt: 1, lastAt: 2, intervalMs: 3, totalDropped: 4 } as const;
const dropColumns = { count: 0 } as const;
/** `issuedUnknown`: reports that do not tell it. `newest...`: of the newest report that names the locality. */
const localityColumns = {
  ...{ successful: 0, errors: 1, issued: 2, issuedUnknown: 3, inProgress: 4 },
  ...{ newestSuccessful: 5, newestErrors: 6, newestIntervalMs: 7 },
} as const;
const columnCount = 8;

/** A client, as one source tells it: rows of numbers, side by side. */
interface ClientSums {
  readonly clientId: string;
  readonly vantage: Vantage;
  /** Row -> its place in `counts`. */
  readonly places: Map<number, number>;
  readonly counts: CountColumn;
}

export interface LoadRowsQuery {
  /** Only of this client, by its id. */
  readonly client?: string;
  /** Only to this cluster. */
  readonly cluster?: string;
  readonly limit: number;
}

export interface LoadRows {
  readonly items: LoadRow[];
  /** With those beyond the limit. */
  readonly total: number;
}

export interface InFlightLine {
  readonly sourceId: string;
  readonly clusterName: string;
  readonly locality: Locality;
  readonly priority: number;
  inFlight: Count;
}

export interface InFlight {
  readonly lines: readonly InFlightLine[];
  /** Clusters of clients that told nothing for so long that what they told last says nothing of now. */
  readonly silent: number;
}

/** One cluster of it: where its numbers begin. */
interface ClusterSums {
  readonly client: ClientSums;
  readonly row: number;
  readonly at: number;
}

/**
 * Sums of load reports, per client, cluster and locality. Counters in a report are deltas and are added; requests in
 * progress are a gauge and replace the one before (LRS, load_report.proto). A locality that a report leaves out had
 * nothing to tell: its gauge stays. Kept for each source: a report on its way through a tap to our own receiver is seen
 * twice, and counts once. There may be half a million localities of clients: nothing is an object of its own.
 */
export class LoadTable {
  readonly #names = new RowNames();
  readonly #rows = new Map<number, Row>();
  /** By source and client. */
  readonly #clients = new Map<string, Map<string, ClientSums>>();

  fold(report: LoadReported): void {
    const { sourceId, clientId, vantage, at } = report;
    const clients = this.#clients.get(sourceId) ?? new Map<string, ClientSums>();
    this.#clients.set(sourceId, clients);
    let client = clients.get(clientId);
    if (client === undefined) {
      client = { clientId, vantage, places: new Map(), counts: new CountColumn(0) };
      clients.set(clientId, client);
    }
    for (const cluster of report.clusters) this.#foldCluster(client, cluster, at);
  }

  #foldCluster(client: ClientSums, cluster: ClusterLoad, now: EpochMs): void {
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
    for (const load of cluster.localities) this.#foldLocality(client, number, cluster, load);
  }

  #foldLocality(client: ClientSums, number: number, cluster: ClusterLoad, load: LocalityLoad): void {
    const { locality, priority } = load;
    const { counts } = client;
    const row = this.#names.localityOf(number, locality, priority);
    const at = this.#placeOf(client, row, cluster, () => ({
      ...{ kind: 'locality', cluster: number, locality, priority },
    }));
    const [successful, errors] = [parseCount(load.successful), parseCount(load.errors)];
    counts.add(at + localityColumns.successful, successful);
    counts.add(at + localityColumns.errors, errors);
    if (load.issued === null) counts.add(at + localityColumns.issuedUnknown, 1);
    else counts.add(at + localityColumns.issued, parseCount(load.issued));
    counts.set(at + localityColumns.inProgress, parseCount(load.inProgress));
    counts.set(at + localityColumns.newestSuccessful, successful);
    counts.set(at + localityColumns.newestErrors, errors);
    counts.set(at + localityColumns.newestIntervalMs, cluster.intervalMs ?? -1);
  }

  /** Where the row's numbers begin; room for what a new cluster has is made at once. */
  #placeOf(client: ClientSums, row: number, cluster: ClusterLoad, rowOf: () => Row): number {
    const { places, counts } = client;
    const known = places.get(row);
    if (known !== undefined) return known * columnCount;
    if (!this.#rows.has(row)) this.#rows.set(row, rowOf());
    const place = places.size;
    places.set(row, place);
    const coming = 1 + cluster.localities.length + cluster.dropped.length;
    if (counts.length < places.size * columnCount) counts.grow((place + coming) * columnCount);
    return place * columnCount;
  }

  /**
   * Requests in progress of all clients together, by source, cluster and locality: of each client as it told them last, if
   * that is no longer ago than `freshMs` of its interval. Who is silent for longer is told by count: it is unknown what it does.
   */
  inFlight(now: EpochMs, freshMs: (intervalMs: number | null) => number): InFlight {
    const lines = new Map<string, InFlightLine>();
    let silent = 0;
    for (const [sourceId, clients] of this.#clients) {
      for (const { places, counts } of clients.values()) {
        const fresh = new Set<number>();
        for (const [row, place] of places) {
          if (this.#rows.get(row)?.kind !== 'cluster') continue;
          const at = place * columnCount;
          const intervalMs = Number(counts.get(at + clusterColumns.intervalMs));
          const isFresh =
            now - Number(counts.get(at + clusterColumns.lastAt)) <=
            freshMs(intervalMs < 0 ? null : intervalMs);
          if (isFresh) fresh.add(row);
          else silent += 1;
        }
        for (const [number, place] of places) {
          const row = this.#rows.get(number);
          if (row?.kind !== 'locality' || !fresh.has(row.cluster)) continue;
          const key = `${number} ${sourceId}`;
          let line = lines.get(key);
          if (line === undefined) {
            const { clusterName } = this.#clusterOf(row.cluster);
            line = { sourceId, clusterName, locality: row.locality, priority: row.priority, inFlight: 0 };
            lines.set(key, line);
          }
          line.inFlight = addCounts(
            line.inFlight,
            counts.get(place * columnCount + localityColumns.inProgress),
          );
        }
      }
    }
    return { lines: [...lines.values()], silent };
  }

  /** Those that reported last, by node and cluster. */
  rows(nodeIdOf: (clientId: string) => string, { client, cluster, limit }: LoadRowsQuery): LoadRows {
    const all = this.#chosen(client).filter(
      ({ row }) => cluster === undefined || this.#clusterOf(row).clusterName === cluster,
    );
    const lastAtOf = ({ client: { counts }, at }: ClusterSums) =>
      Number(counts.get(at + clusterColumns.lastAt));
    const newest = all.length <= limit ? all : all.sort((a, b) => lastAtOf(b) - lastAtOf(a)).slice(0, limit);
    const items = newest
      .map((sums) => this.#rowOf(sums.client, sums.row, sums.at, nodeIdOf(sums.client.clientId)))
      .sort((a, b) => compareNames(a.nodeId, b.nodeId) || compareNames(a.clusterName, b.clusterName));
    return { items, total: all.length };
  }

  #clusterOf(number: number): { readonly clusterName: string; readonly clusterServiceName: string } {
    const row = this.#rows.get(number);
    return row?.kind === 'cluster' ? row : noCluster;
  }

  /**
   * Of those that tell the same client's load to the same cluster, one: the receiver of the reports, who misses none of
   * them, before a tap; of two of a kind the one who heard more.
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
      firstReportAt: formatIsoTime(Number(counts.get(at + clusterColumns.firstAt))),
      lastReportAt: formatIsoTime(Number(counts.get(at + clusterColumns.lastAt))),
      intervalMs: intervalMs < 0 ? null : intervalMs,
      totalDropped: String(counts.get(at + clusterColumns.totalDropped)),
      ...{ dropped, localities },
    };
  }
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
    // Unknown once is unknown for the sum: a partial sum would look like a real one.
    issued: countOf(localityColumns.issuedUnknown) === 0 ? String(countOf(localityColumns.issued)) : null,
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

/** LRS: rates are taken over the interval as reported, not as configured. null when it was not told. */
function ratePerSecond(count: Count, intervalMs: number): number | null {
  return intervalMs <= 0 ? null : Number(count) / (intervalMs / 1_000);
}
