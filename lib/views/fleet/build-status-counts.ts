import { by } from '../../collections/compare';
import { type ConfigStatus, configStatuses, type State, states } from '../../xds/status';
import type { TypeSummary } from '../client/schema';

interface StatusCount<Status> {
  readonly status: Status;
  readonly count: number;
}

/** Worst first. */
export function buildStateCounts(counts: TypeSummary['byState']): StatusCount<State>[] {
  return occurring(states, counts);
}

/** The number of resources of a client in a state. */
export function countInState(
  { types }: { readonly types: readonly Pick<TypeSummary, 'byState'>[] },
  state: State,
): number {
  return types.reduce((sum, { byState }) => sum + (byState[state] ?? 0), 0);
}

/** Worst first. */
export const configSeverity: readonly ConfigStatus[] = ['ERROR', 'STALE', 'NOT_SENT', 'UNKNOWN', 'SYNCED'];

/** The statuses that the control plane reports, worst first; empty if no control plane reports. */
export function buildConfigStatusCounts(counts: TypeSummary['byConfigStatus']): StatusCount<ConfigStatus>[] {
  return occurring(configStatuses, counts).sort(by((each) => configSeverity.indexOf(each.status)));
}

function occurring<Status extends string>(
  statuses: readonly Status[],
  counts: Partial<Record<Status, number>>,
): StatusCount<Status>[] {
  return statuses.map((status) => ({ status, count: counts[status] ?? 0 })).filter(({ count }) => count > 0);
}
