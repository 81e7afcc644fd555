import type { LoadTotalsAnswer } from '../../api/load';

export interface LoadReporter {
  readonly clientId: string;
  readonly name: string;
  /** `unknown`: none of its reports says which time it covers. */
  readonly state: 'reports' | 'silent' | 'unknown';
  /** Decimal. */
  readonly reports: string;
  readonly intervalMs: number | null;
  readonly lastAt: string;
}

/** So many of its own intervals without a report are silence, and so long at least. */
const silentIntervals = 3;
const leastSilenceMs = 15_000;

/** Totals by client, so long after the end of their span; those that went silent first. */
export function buildReporters(
  { groups, to }: Pick<LoadTotalsAnswer, 'groups' | 'to'>,
  sinceMs = 0,
): LoadReporter[] {
  const end = Date.parse(to) + sinceMs;
  return groups
    .flatMap(({ key: { clientId }, name, totals }): LoadReporter[] => {
      if (clientId === undefined) return [];
      const { reports, intervalMs, lastAt } = totals;
      const quietMs = end - Date.parse(lastAt);
      const isSilent =
        intervalMs !== null && quietMs > Math.max(leastSilenceMs, silentIntervals * intervalMs);
      const state = intervalMs === null ? 'unknown' : isSilent ? 'silent' : 'reports';
      return [{ clientId, name, state, reports, intervalMs, lastAt }];
    })
    .sort((a, b) => Number(b.state === 'silent') - Number(a.state === 'silent'));
}
