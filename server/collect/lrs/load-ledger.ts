import { type FittedLoad, fitLoad } from '@/lib/load/fit-load';
import { defaultLoadLimits } from '@/lib/load/load-limits';
import type { ClusterLoad, NodeInfo } from '@/lib/observation/observation';

export interface LedgerLimits {
  /** Limits the node ids with an open stream, and the characters of their nodes as JSON. */
  readonly clients: number;
  readonly nodeChars: number;
  readonly allNodesChars: number;
  /** Limits clusters, localities and drop categories of one report; further ones are added up. */
  readonly rowsOfReport: number;
}

export const defaultLedgerLimits: LedgerLimits = {
  clients: 50_000,
  nodeChars: 64 * 1024,
  allNodesChars: 64 * 1024 * 1024,
  rowsOfReport: defaultLoadLimits.rowsOfClient,
};

/** Limits the nodes of open streams and the size of a report of one receiver. LoadTable limits all rows. */
export class LoadLedger {
  readonly #limits: LedgerLimits;

  /** The open streams of each client, and the characters of its node. */
  readonly #nodes = new Map<string, { streams: number; chars: number }>();
  #nodesChars = 0;

  constructor(limits: LedgerLimits = defaultLedgerLimits) {
    this.#limits = limits;
  }

  /** Admits a stream of the client, which needs release(), or returns the reason why it may not report. */
  admitNode(clientId: string, node: NodeInfo): string | null {
    const { clients, nodeChars, allNodesChars } = this.#limits;
    const chars = JSON.stringify(node).length;
    if (chars > nodeChars) return `expected a node of at most ${nodeChars} characters of JSON, got ${chars}`;
    const before = this.#nodes.get(clientId);
    if (before === undefined && this.#nodes.size >= clients) {
      return `expected at most ${clients} different node ids at a time, got one more`;
    }
    const allChars = this.#nodesChars - (before?.chars ?? 0) + chars;
    if (allChars > allNodesChars) {
      return `expected nodes of at most ${allNodesChars} characters of JSON together, got ${allChars}`;
    }
    this.#nodesChars = allChars;
    this.#nodes.set(clientId, { streams: (before?.streams ?? 0) + 1, chars });
    return null;
  }

  /** Must be called when an admitted stream has ended. */
  release(clientId: string): void {
    const node = this.#nodes.get(clientId);
    if (node === undefined) return;
    node.streams -= 1;
    if (node.streams > 0) return;
    this.#nodes.delete(clientId);
    this.#nodesChars -= node.chars;
  }

  /** Returns the report with at most as many rows as are allowed; further rows are added up. */
  fit(report: readonly ClusterLoad[]): FittedLoad {
    let rows = 0;
    const admit = (): boolean => {
      rows += 1;
      return rows <= this.#limits.rowsOfReport;
    };
    return fitLoad(report, { cluster: admit, locality: admit, category: admit });
  }
}
