import { formatCount } from '../format/count';
import { overflowCluster } from './fit-load';

/** How much of the names that load reports bring is kept. Numbers are of what is known at a time. */
export interface LoadLimits {
  /** Clients of sources. */
  readonly clients: number;
  /** Clusters, localities and drop categories, of each client for itself. */
  readonly rows: number;
  readonly rowsOfClient: number;
  /** Characters of the names of one row, and of all different rows together. */
  readonly nameChars: number;
  readonly allNameChars: number;
}

export const defaultLoadLimits: LoadLimits = {
  clients: 100_000,
  rows: 1_000_000,
  rowsOfClient: 10_000,
  nameChars: 1_024,
  allNameChars: 32 * 1024 * 1024,
};

export interface LoadUse {
  clients: number;
  rows: number;
  nameChars: number;
}

/** What was beyond the limits since the start. */
export interface LoadBeyond {
  /** Rows of reports that were added up as the overflow cluster. */
  readonly rows: number;
  /** Reports of clients that were left out. */
  readonly reports: number;
}

/** Limits that applied, expected and actual, in sentences. */
export function describeLimits(limits: LoadLimits, used: Readonly<LoadUse>, beyond: LoadBeyond): string[] {
  const { clients, rows, rowsOfClient, nameChars } = limits;
  const notices: string[] = [];
  if (beyond.rows > 0) {
    notices.push(
      `Expected at most ${formatCount(rowsOfClient)} clusters, localities and drop categories of a client, ` +
        `${formatCount(rows)} in all and ${formatCount(nameChars)} characters of a name; now ${formatCount(used.rows)} ` +
        `are kept. ${formatCount(beyond.rows)} lines of reports beyond that are added up as "${overflowCluster}".`,
    );
  }
  if (beyond.reports > 0) {
    notices.push(
      `Expected at most ${formatCount(clients)} clients that report load, now ${formatCount(used.clients)} are kept: ` +
        `${formatCount(beyond.reports)} reports of others are missing.`,
    );
  }
  return notices;
}
