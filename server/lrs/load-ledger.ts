import type { ClusterLoad, NodeInfo } from '@/lib/observation/observation';

export interface LoadLimits {
  /** Different node ids, with what their nodes say, as JSON. */
  readonly clients: number;
  readonly nodeChars: number;
  readonly allNodesChars: number;
  /** Different clusters, localities and drop categories of clients: what the sums are kept of. */
  readonly rows: number;
  readonly allNamesChars: number;
}

export const defaultLoadLimits: LoadLimits = {
  clients: 20_000,
  nodeChars: 64 * 1024,
  allNodesChars: 64 * 1024 * 1024,
  rows: 100_000,
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
  readonly #rows = new Set<string>();
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
  fit(clientId: string, report: readonly ClusterLoad[]): { clusters: ClusterLoad[]; leftOut: number } {
    const clusters: ClusterLoad[] = [];
    let leftOut = 0;
    for (const cluster of report) {
      const key = `${clientId}\u0000${cluster.clusterName}\u0000${cluster.clusterServiceName}`;
      if (!this.#admit(key)) {
        leftOut += 1 + cluster.localities.length + cluster.dropped.length;
        continue;
      }
      const localities = cluster.localities.filter(({ priority, locality: { region, zone, subZone } }) =>
        this.#admit(`${key}\u0000${priority}\u0000${region}\u0000${zone}\u0000${subZone}`),
      );
      const dropped = cluster.dropped.filter(({ category }) => this.#admit(`${key}\u0000${category}`));
      leftOut += cluster.localities.length - localities.length + cluster.dropped.length - dropped.length;
      clusters.push({ ...cluster, localities, dropped });
    }
    return { clusters, leftOut };
  }

  #admit(key: string): boolean {
    if (this.#rows.has(key)) return true;
    const namesChars = this.#namesChars + key.length;
    if (this.#rows.size >= this.limits.rows || namesChars > this.limits.allNamesChars) return false;
    this.#rows.add(key);
    this.#namesChars = namesChars;
    return true;
  }
}
