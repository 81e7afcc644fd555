import type { FailoverHistory, FailoverPeriod } from '@/lib/api/failovers';
import { formatLocality } from '@/lib/format/locality';
import type { LoadGroup } from '@/lib/load/load-question';
import type { LoadRecorder } from '../recorder/load/load-recorder';

/** Periods that load is looked up for: the newest. */
const mostPeriods = 20;
const localitiesTold = 20;

/** Where requests went in each period, as the client reported. Where it reported nothing nothing is added. */
export async function tellMeasured(
  history: FailoverHistory,
  loads: Pick<LoadRecorder, 'read'>,
): Promise<FailoverHistory> {
  const { clientId, cluster, items, to } = history;
  if (cluster === null) return history;
  const told = items.slice(-mostPeriods).map(async (period): Promise<FailoverPeriod> => {
    const from = Date.parse(period.fromAt);
    const span = { from, to: Math.max(from + 1, Date.parse(period.toAt ?? to)) };
    const read = (within: typeof span, by: 'cluster' | 'locality') =>
      loads.read({ by, cluster, clientId, span: within, stepMs: null, measures: [], limit: localitiesTold });
    const reports = (await read(span, 'cluster')).groups;
    if (reports.length === 0) return period;
    // The first report of a period tells of before it, too.
    const after = from + Math.max(...reports.map(intervalOf));
    const { groups } = await read(after < span.to ? { ...span, from: after } : span, 'locality');
    const all = groups.reduce((sum, group) => sum + requestsOf(group), 0);
    if (all === 0) return period;
    const measured = groups.map((group) => ({
      locality: formatLocality(group.key.locality ?? null),
      requests: requestsOf(group),
      share: requestsOf(group) / all,
    }));
    return { ...period, measured: measured.filter(({ requests }) => requests > 0) };
  });
  return { ...history, items: [...items.slice(0, -mostPeriods), ...(await Promise.all(told))] };
}

function intervalOf({ totals: { coveredUs, timedReports } }: LoadGroup): number {
  return Number(timedReports) === 0 ? 0 : Number(coveredUs) / 1_000 / Number(timedReports);
}

function requestsOf({ totals: { successful, errors } }: LoadGroup): number {
  return Number(successful) + Number(errors);
}
