import { formatCount } from '../format/count';
import { overflowCluster } from './fit-load';

/** Limits for load reports, which apply to the rows and names that are kept at one time. */
export interface LoadLimits {
  /** Clients, counted for each source. */
  readonly clients: number;
  /** Clusters, localities and drop categories of all clients, and of one client. */
  readonly rows: number;
  readonly rowsOfClient: number;
  /** Characters of the names of one row, and of all different rows. */
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

interface LoadBeyond {
  /** Rows that were added to the overflow cluster. */
  readonly rows: number;
  /** Reports of clients beyond the limit, which are dropped. */
  readonly reports: number;
}

/** Describes the limits that were exceeded, with expected and actual values. */
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
