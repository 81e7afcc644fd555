import { RowNames } from '@/lib/load/row-names';
import type { ClusterLoad, LocalityLoad, NodeInfo } from '@/lib/observation/observation';

export interface LoadLimits {
  /** Different node ids, with what their nodes say, as JSON. */
  readonly clients: number;
  readonly nodeChars: number;
  readonly allNodesChars: number;
  /** Clusters, localities and drop categories, of each client for itself: what the sums are kept of. */
  readonly rows: number;
  /** Of the different names of them. */
  readonly allNamesChars: number;
}

export const defaultLoadLimits: LoadLimits = {
  clients: 20_000,
  nodeChars: 64 * 1024,
  allNodesChars: 64 * 1024 * 1024,
  rows: 1_000_000,
  allNamesChars: 32 * 1024 * 1024,
};

/**
 * Bounds what load reports make everybody behind the receiver remember. Whoever reaches the port may name a new node
 * or cluster in each message; what was let in once stays let in, and what is new beyond the limits is not told.
 */
export class LoadLedger {
  /** Node id's client -> characters that its node takes. */
  readonly #nodes = new Map<string, number>();
  #nodesChars = 0;
  readonly #names = new RowNames();
  /** By client: rows that it may tell. */
  readonly #rowsOf = new Map<string, Set<number>>();
  #rows = 0;
  #namesChars = 0;

  constructor(private readonly limits: LoadLimits = defaultLoadLimits) {}

  /** Why this client may not report; null when it may. */
  refuseNode(clientId: string, node: NodeInfo): string | null {
    const { clients, nodeChars, allNodesChars } = this.limits;
    const chars = JSON.stringify(node).length;
    if (chars > nodeChars) return `expected a node of at most ${nodeChars} characters of JSON, got ${chars}`;
    const before = this.#nodes.get(clientId);
    if (before === undefined && this.#nodes.size >= clients) {
      return `expected at most ${clients} different node ids, got one more`;
    }
    const allChars = this.#nodesChars - (before ?? 0) + chars;
    if (allChars > allNodesChars) {
      return `expected nodes of at most ${allNodesChars} characters of JSON together, got more`;
    }
    this.#nodesChars = allChars;
    this.#nodes.set(clientId, chars);
    return null;
  }

  /** The part of a report that fits, and how many of its rows do not. */
  fit(
    clientId: string,
    report: readonly ClusterLoad[],
  ): { readonly clusters: readonly ClusterLoad[]; readonly leftOut: number } {
    const rows = this.#rowsOf.get(clientId) ?? new Set();
    if (report.every((cluster) => this.#fitsWhole(rows, cluster))) {
      if (rows.size > 0) this.#rowsOf.set(clientId, rows);
      return { clusters: report, leftOut: 0 };
    }
    const clusters: ClusterLoad[] = [];
    let leftOut = 0;
    for (const cluster of report) {
      const number = this.#admitCluster(rows, cluster);
      if (number === undefined) {
        leftOut += 1 + cluster.localities.length + cluster.dropped.length;
        continue;
      }
      const localities = cluster.localities.filter((load) => this.#admitLocality(rows, number, load));
      const dropped = cluster.dropped.filter(({ category }) => this.#admitCategory(rows, number, category));
      leftOut += cluster.localities.length - localities.length + cluster.dropped.length - dropped.length;
      clusters.push({ ...cluster, localities, dropped });
    }
    if (rows.size > 0) this.#rowsOf.set(clientId, rows);
    return { clusters, leftOut };
  }

  #fitsWhole(rows: Set<number>, cluster: ClusterLoad): boolean {
    const number = this.#admitCluster(rows, cluster);
    return (
      number !== undefined &&
      cluster.localities.every((load) => this.#admitLocality(rows, number, load)) &&
      cluster.dropped.every(({ category }) => this.#admitCategory(rows, number, category))
    );
  }

  /** The number of its name; undefined: it does not fit. */
  #admitCluster(rows: Set<number>, { clusterName, clusterServiceName }: ClusterLoad): number | undefined {
    const known = this.#names.findCluster(clusterName, clusterServiceName);
    if (known !== undefined) return this.#admit(rows, known) ? known : undefined;
    if (!this.#hasRoom(clusterName.length + clusterServiceName.length)) return undefined;
    const number = this.#names.clusterOf(clusterName, clusterServiceName);
    this.#admit(rows, number);
    return number;
  }

  #admitLocality(rows: Set<number>, cluster: number, { locality, priority }: LocalityLoad): boolean {
    const known = this.#names.findLocality(cluster, locality, priority);
    if (known !== undefined) return this.#admit(rows, known);
    const { region, zone, subZone } = locality;
    if (!this.#hasRoom(region.length + zone.length + subZone.length)) return false;
    return this.#admit(rows, this.#names.localityOf(cluster, locality, priority));
  }

  #admitCategory(rows: Set<number>, cluster: number, category: string): boolean {
    const known = this.#names.findCategory(cluster, category);
    if (known !== undefined) return this.#admit(rows, known);
    if (!this.#hasRoom(category.length)) return false;
    return this.#admit(rows, this.#names.categoryOf(cluster, category));
  }

  #admit(rows: Set<number>, row: number): boolean {
    if (rows.has(row)) return true;
    if (this.#rows >= this.limits.rows) return false;
    rows.add(row);
    this.#rows += 1;
    return true;
  }

  /** For one row more, of a name that nobody has told yet. */
  #hasRoom(chars: number): boolean {
    const namesChars = this.#namesChars + chars + charsOfRow;
    if (this.#rows >= this.limits.rows || namesChars > this.limits.allNamesChars) return false;
    this.#namesChars = namesChars;
    return true;
  }
}

/** A name of no characters takes memory too. */
const charsOfRow = 16;
