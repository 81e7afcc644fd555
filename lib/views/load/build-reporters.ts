import { byDescending } from '../../collections/compare';
import type { EpochMs } from '../../xds/units';
import type { LoadTotalsAnswer } from './schema';

export interface LoadReporter {
  readonly clientId: string;
  readonly name: string;
  /** `unknown` if no report contains its interval. */
  readonly state: 'reports' | 'silent' | 'unknown';
  /** Decimal digits. */
  readonly reports: string;
  readonly intervalMs?: number | undefined;
  readonly lastAt: EpochMs;
}

/** A client is silent after this many intervals without a report, and not before this time. */
const silentIntervals = 3;
const leastSilenceMs = 15_000;

/** Builds reporters from totals by client, silent ones first. `sinceMs` is the time since the end of the totals. */
export function buildReporters(
  { groups, to }: Pick<LoadTotalsAnswer, 'groups' | 'to'>,
  sinceMs = 0,
): LoadReporter[] {
  const end = to + sinceMs;
  return groups
    .flatMap(({ key: { clientId }, name, totals }): LoadReporter[] => {
      if (clientId === undefined) return [];
      const { reports, intervalMs, lastAt } = totals;
      const quietMs = end - lastAt;
      const isSilent =
        intervalMs !== undefined && quietMs > Math.max(leastSilenceMs, silentIntervals * intervalMs);
      const state = intervalMs === undefined ? 'unknown' : isSilent ? 'silent' : 'reports';
      return [{ clientId, name, state, reports, intervalMs, lastAt }];
    })
    .sort(byDescending((each) => each.state === 'silent'));
}
