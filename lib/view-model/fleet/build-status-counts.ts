import type { TypeSummary } from '../../api/schema';
import {
  type ClientStatus,
  type ConfigStatus,
  clientStatuses,
  clientStatusRank,
  configStatuses,
} from '../../xds/status';

export interface StatusCount<Status> {
  readonly status: Status;
  readonly count: number;
}

/** The statuses that the client reports, worst first. */
export function buildClientStatusCounts(counts: TypeSummary['byClientStatus']): StatusCount<ClientStatus>[] {
  return occurring(clientStatuses, counts).sort(
    (a, b) => clientStatusRank(a.status) - clientStatusRank(b.status),
  );
}

/** Worst first. */
export const configSeverity: readonly ConfigStatus[] = ['ERROR', 'STALE', 'NOT_SENT', 'UNKNOWN', 'SYNCED'];

/** The statuses that the control plane reports, worst first; empty if no control plane reports. */
export function buildConfigStatusCounts(counts: TypeSummary['byConfigStatus']): StatusCount<ConfigStatus>[] {
  return occurring(configStatuses, counts).sort(
    (a, b) => configSeverity.indexOf(a.status) - configSeverity.indexOf(b.status),
  );
}

function occurring<Status extends string>(
  statuses: readonly Status[],
  counts: Partial<Record<Status, number>>,
): StatusCount<Status>[] {
  return statuses.map((status) => ({ status, count: counts[status] ?? 0 })).filter(({ count }) => count > 0);
}
