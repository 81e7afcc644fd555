import type { HistoryGap, HistoryPage, HistoryTimeline } from '@/lib/api/history';
import { formatHistoryCursor } from '@/lib/api/history-cursor';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';
import type { Observation } from '@/lib/observation/observation';
import { buildHistoryDensity } from '@/lib/view-model/history/build-history-density';
import { buildHistoryEvent } from '@/lib/view-model/history/build-history-event';
import { buildHistoryMarks } from '@/lib/view-model/history/build-history-marks';
import type { Clock } from '../observe';
import type { HistoryRow } from '../recorder/history-query';
import type { Recorder } from '../recorder/recorder';
import { type HistoryPageQuery, parseHistoryPageQuery, parseHistoryTimelineQuery } from './history-query';
import { settleLog } from './settle-log';

export interface HistoryApiOptions {
  readonly clock: Clock;
  readonly recorder: Pick<
    Recorder,
    'flushed' | 'stats' | 'readHistory' | 'readMarks' | 'readDensity' | 'readGaps'
  >;
  /** undefined: not known (any longer). */
  readonly nodeIdOf: (clientId: string) => string | undefined;
}

const maxMarks = 50_000;

/** The log, as pages and as marks on a time axis. */
export class HistoryApi {
  constructor(private readonly options: HistoryApiOptions) {}

  async page(parameters: URLSearchParams): Promise<HistoryPage> {
    const query = parseHistoryPageQuery(parameters);
    await settleLog(this.options.recorder);
    const { recorder, nodeIdOf } = this.options;
    const { filter, limit, order, afterSeq, beforeSeq } = query;
    const rows = await recorder.readHistory({ ...filter, limit, order, afterSeq, beforeSeq });
    if (order === 'asc') rows.reverse();
    const items = rows.map(({ seq, json, pairSeq, pairMs }) => {
      const observation = { ...(JSON.parse(json) as Observation), seq };
      return buildHistoryEvent(observation, { nodeIdOf, pairSeq, pairMs });
    });
    const { older, newer } = await this.cursors(query, rows);
    const [oldest, newest] = [items.at(-1), items[0]];
    const gaps =
      oldest && newest ? await recorder.readGaps(Date.parse(oldest.at), Date.parse(newest.at)) : [];
    const { oldestAt, newestSeq } = recorder.stats();
    return {
      items,
      older,
      newer,
      gaps: gaps.map(gapOf),
      oldestAt: formatIsoTimeOrNull(oldestAt),
      newestSeq,
    };
  }

  async timeline(parameters: URLSearchParams): Promise<HistoryTimeline> {
    const { filter, buckets } = parseHistoryTimelineQuery(parameters);
    await settleLog(this.options.recorder);
    const { recorder, clock, nodeIdOf } = this.options;
    const to = filter.to ?? clock.now();
    const from = Math.min(filter.from ?? recorder.stats().oldestAt ?? to, to);
    const { marks, total, gaps: found } = await recorder.readMarks({ ...filter, from, to }, maxMarks);
    const gaps = found.map(gapOf);
    if (total <= maxMarks) return { ...buildHistoryMarks(marks, nodeIdOf), from, to, gaps };
    const bucketMs = Math.max(1, Math.ceil((to - from) / buckets));
    const density = await recorder.readDensity({ ...filter, from, to }, bucketMs);
    return { ...buildHistoryDensity(density), from, to, bucketMs, gaps };
  }

  /** null where nothing is: asked of the log, unless the page itself says so. */
  private async cursors(
    { filter, order, afterSeq, beforeSeq }: HistoryPageQuery,
    rows: readonly HistoryRow[],
  ): Promise<Pick<HistoryPage, 'older' | 'newer'>> {
    const { recorder } = this.options;
    const oldestSeq = rows.at(-1)?.seq ?? (order === 'asc' ? (afterSeq ?? 0) + 1 : undefined);
    const newestSeq =
      rows[0]?.seq ?? (order === 'desc' ? (beforeSeq ?? Number.MAX_SAFE_INTEGER) - 1 : undefined);
    const next = async (where: { readonly beforeSeq?: number; readonly afterSeq?: number }) => {
      const [row] = await recorder.readHistory({
        ...filter,
        ...where,
        order: where.beforeSeq === undefined ? 'asc' : 'desc',
        limit: 1,
      });
      return row !== undefined;
    };
    const [hasOlder, hasNewer] = await Promise.all([
      oldestSeq === undefined ? false : next({ beforeSeq: oldestSeq }),
      newestSeq === undefined ? false : next({ afterSeq: newestSeq }),
    ]);
    return {
      older: hasOlder && oldestSeq !== undefined ? formatHistoryCursor('older', oldestSeq) : null,
      newer: hasNewer && newestSeq !== undefined ? formatHistoryCursor('newer', newestSeq) : null,
    };
  }
}

function gapOf(gap: {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromAt: number;
  readonly toAt: number;
  readonly reason: string;
}): HistoryGap {
  const { fromSeq, toSeq, reason } = gap;
  return { fromSeq, toSeq, from: formatIsoTime(gap.fromAt), to: formatIsoTime(gap.toAt), reason };
}
