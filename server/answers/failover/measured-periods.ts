import { byDescending } from '@/lib/collections/compare';
import { formatLocality } from '@/lib/format/locality';
import type { LoadGroup } from '@/lib/load/load-question';
import type { LoadSpan } from '@/lib/load/plan-load-reading';
import type { FailoverHistory, FailoverPeriod } from '@/lib/views/failover/periods-schema';
import type { LoadAnswer, LoadReadQuestion } from '../../live/load/load-jobs';
import type { LoadReader } from '../../live/load/load-reader';

type ReadLoad = (question: LoadReadQuestion) => Promise<LoadAnswer>;

/** Load is read for the newest periods only. */
const mostPeriods = 20;
const localitiesReported = 20;

/**
 * Adds to each period the localities to which requests were sent, by the load reports of the client, if there are any.
 * Load reports name the leaves of an aggregate cluster and not the cluster itself.
 */
export async function addMeasured(
  history: FailoverHistory,
  loads: Pick<LoadReader, 'read'>,
  signal?: AbortSignal,
): Promise<FailoverHistory> {
  const { clientId, cluster, items, to } = history;
  if (cluster === undefined) return history;
  const leaves = leavesOf(history, cluster);
  const read: ReadLoad = (question) => loads.read(question, signal);
  const reported = items.slice(-mostPeriods).map(async (period): Promise<FailoverPeriod> => {
    const from = period.fromAt;
    const span = { from, to: Math.max(from + 1, period.toAt ?? to) };
    const ofLeaves = await Promise.all(
      leaves.map(async (leaf) => ({ leaf, groups: await readLeaf(read, clientId, leaf, span) })),
    );
    const lines = ofLeaves.flatMap(({ leaf, groups }) =>
      groups.map((group) => ({
        ...(leaf !== cluster && { cluster: leaf }),
        locality: formatLocality(group.key.locality ?? null),
        requests: requestsOf(group),
      })),
    );
    const all = lines.reduce((sum, { requests }) => sum + requests, 0);
    if (all === 0) return period;
    const measured = lines
      .filter(({ requests }) => requests > 0)
      .sort(byDescending(({ requests }) => requests))
      .map((line) => ({ ...line, share: line.requests / all }));
    return { ...period, measured };
  });
  return { ...history, items: [...items.slice(0, -mostPeriods), ...(await Promise.all(reported))] };
}

/** Returns the cluster and the leaves that its periods name. */
function leavesOf({ items }: FailoverHistory, cluster: string): string[] {
  const named = items.flatMap(({ places }) => places?.map((place) => place.cluster) ?? []);
  return [...new Set([cluster, ...named])];
}

/** Reads the load by locality, without the first report of the time range, because it also covers time before it. */
async function readLeaf(
  readLoad: ReadLoad,
  clientId: string,
  cluster: string,
  span: LoadSpan,
): Promise<readonly LoadGroup[]> {
  const read = (within: LoadSpan, by: 'cluster' | 'locality') =>
    readLoad({ by, cluster, clientId, span: within, stepMs: null, measures: [], limit: localitiesReported });
  const reports = (await read(span, 'cluster')).groups;
  if (reports.length === 0) return [];
  const after = span.from + Math.max(...reports.map(intervalOf));
  return (await read(after < span.to ? { ...span, from: after } : span, 'locality')).groups;
}

function intervalOf({ totals: { coveredUs, timedReports } }: LoadGroup): number {
  return Number(timedReports) === 0 ? 0 : Number(coveredUs) / 1_000 / Number(timedReports);
}

function requestsOf({ totals: { successful, errors } }: LoadGroup): number {
  return Number(successful) + Number(errors);
}
