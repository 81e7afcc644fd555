import type { DeclaredSource, Observation } from '@/lib/observation/observation';
import { buildHistoryDensity } from '@/lib/views/history/build-history-density';
import { buildHistoryEvent, type HistoryEventContext } from '@/lib/views/history/build-history-event';
import { buildHistoryMarks } from '@/lib/views/history/build-history-marks';
import { formatHistoryCursor } from '@/lib/views/history/history-cursor';
import type { HistoryFilterQuery, HistoryQuery, TimelineQuery } from '@/lib/views/history/query';
import type { HistoryGap, HistoryPage, HistoryTimeline } from '@/lib/views/history/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import type { HistoryFilter, HistoryRow } from '../../store/history-query';
import type { Gap } from '../../store/ranges';
import { flushLog } from '../../store/recorder/flush-log';
import type { Recorder } from '../../store/recorder/recorder';
import type { ImportsApi } from '../files/imports-api';

export interface HistoryApiOptions {
  readonly clock: Clock;
  readonly recorder: Pick<
    Recorder,
    'flushed' | 'stats' | 'readHistory' | 'readMarks' | 'readDensity' | 'readGaps'
  >;
  /** Returns undefined if the client is not known, or no longer known. */
  readonly nodeIdOf: (clientId: string) => string | undefined;
  readonly findSource: (sourceId: string) => DeclaredSource | undefined;
  readonly isOfRemovedFile?: HistoryEventContext['isOfRemovedFile'];
  /** A client of a file has the time range and the gaps of the file. */
  readonly imports: Pick<ImportsApi, 'fileOf' | 'oldestAt'>;
}

const maxMarks = 50_000;

interface Extent {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** The beginning of the recording; reports of earlier states may have earlier times. */
  readonly recordedFrom: EpochMs;
}

export class HistoryApi {
  readonly #options: HistoryApiOptions;

  constructor(options: HistoryApiOptions) {
    this.#options = options;
  }

  async page(requested: HistoryQuery, signal?: AbortSignal): Promise<HistoryPage> {
    const query = pageOf(requested);
    await flushLog(this.#options.recorder);
    const { recorder, nodeIdOf, findSource, isOfRemovedFile } = this.#options;
    const { filter, limit, order, afterSeq, beforeSeq } = query;
    const rows = await recorder.readHistory({ ...filter, limit, order, afterSeq, beforeSeq }, signal);
    if (order === 'asc') rows.reverse();
    const events = rows.map(({ seq, json, pairSeq, pairMs }) => {
      const observation = { ...(JSON.parse(json) as Observation), seq };
      const item = buildHistoryEvent(observation, {
        nodeIdOf,
        findSource,
        isOfRemovedFile,
        pairSeq: pairSeq ?? undefined,
        pairMs: pairMs ?? undefined,
      });
      return { at: observation.at, item };
    });
    const { older, newer } = await this.#cursors(query, rows, signal);
    const [oldest, newest] = [events.at(-1), events[0]];
    const gaps =
      oldest === undefined || newest === undefined
        ? []
        : (this.#fileGaps(filter.clientId, oldest.at, newest.at) ??
          (await recorder.readGaps(oldest.at, newest.at)));
    const { oldestAt, newestSeq } = recorder.stats();
    return {
      items: events.map(({ item }) => item),
      older,
      newer,
      gaps: gaps.map(gapOf),
      oldestAt: oldestAt ?? undefined,
      newestSeq,
    };
  }

  async timeline({ buckets, ...requested }: TimelineQuery, signal?: AbortSignal): Promise<HistoryTimeline> {
    const filter = filterOf(requested);
    await flushLog(this.#options.recorder);
    const { recorder, nodeIdOf, findSource } = this.#options;
    const extent = await this.#extent(filter);
    const { to } = extent;
    const {
      marks,
      total,
      gaps: logged,
    } = await recorder.readMarks({ ...filter, from: extent.from, to }, maxMarks, signal);
    const isCounted = total > maxMarks;
    // States that are older than the file do not extend the axis.
    const from = isCounted ? (filter.from ?? extent.recordedFrom) : extent.from;
    const gaps = (this.#fileGaps(filter.clientId, from, to) ?? logged).map(gapOf);
    if (!isCounted) return { ...buildHistoryMarks(marks, { nodeIdOf, findSource }), from, to, gaps };
    const bucketMs = Math.max(1, Math.ceil((to - from) / buckets));
    const density = await recorder.readDensity({ ...filter, from, to }, bucketMs, signal);
    return { ...buildHistoryDensity(density), from, to, bucketMs, gaps };
  }

  /**
   * Returns the recorded part of the time range of the query, else everything up to now or, for a client of a file, the time
   * range of the file.
   */
  async #extent(filter: HistoryFilter): Promise<Extent> {
    const { recorder, clock, imports } = this.#options;
    const file = filter.clientId === undefined ? undefined : imports.fileOf(filter.clientId);
    if (file === undefined) {
      const to = filter.to ?? clock.now();
      const oldest = (await this.#oldestOf(filter.clientId)) ?? to;
      const from = Math.min(Math.max(filter.from ?? oldest, oldest), to);
      return { from, to, recordedFrom: from };
    }
    const ends = { clientId: filter.clientId, limit: 1 } as const;
    const [first] = await recorder.readHistory({ ...ends, order: 'asc' });
    const [last] = await recorder.readHistory({ ...ends, order: 'desc' });
    const lastAt = Math.max(file.to ?? Number.NEGATIVE_INFINITY, timeOf(last) ?? file.from ?? 0);
    const to = filter.to ?? lastAt;
    const recordedFrom = Math.min(file.from ?? to, to);
    const oldest = Math.min(timeOf(first) ?? to, recordedFrom);
    const from = Math.min(Math.max(filter.from ?? oldest, oldest), to);
    return { from, to, recordedFrom };
  }

  /** The begin of the log. What files from before it began does not extend the axis of a live client. */
  async #oldestOf(clientId: string | undefined): Promise<EpochMs | undefined> {
    const { recorder, imports } = this.#options;
    const oldest = recorder.stats().oldestAt ?? undefined;
    const ofFiles = imports.oldestAt;
    if (clientId === undefined || oldest === undefined || ofFiles === undefined || ofFiles > oldest)
      return oldest;
    const [first] = await recorder.readHistory({ clientId, limit: 1, order: 'asc' });
    return timeOf(first) ?? oldest;
  }

  /** Returns the gaps of a file for a client of that file, or undefined for any other client. */
  #fileGaps(clientId: string | undefined, from: EpochMs, to: EpochMs): readonly Gap[] | undefined {
    const file = clientId === undefined ? undefined : this.#options.imports.fileOf(clientId);
    return file?.gaps.filter(({ fromAt, toAt }) => toAt >= from && fromAt <= to);
  }

  /** A cursor is null at an end of the log, which is read only if the page does not show it. */
  async #cursors(
    { filter, order, afterSeq, beforeSeq }: HistoryPageQuery,
    rows: readonly HistoryRow[],
    signal: AbortSignal | undefined,
  ): Promise<Pick<HistoryPage, 'older' | 'newer'>> {
    const { recorder } = this.#options;
    const oldestSeq = rows.at(-1)?.seq ?? (order === 'asc' ? (afterSeq ?? 0) + 1 : undefined);
    const newestSeq =
      rows[0]?.seq ?? (order === 'desc' ? (beforeSeq ?? Number.MAX_SAFE_INTEGER) - 1 : undefined);
    const next = async (where: { readonly beforeSeq?: number; readonly afterSeq?: number }) => {
      const order = where.beforeSeq === undefined ? 'asc' : 'desc';
      const [row] = await recorder.readHistory({ ...filter, ...where, order, limit: 1 }, signal);
      return row !== undefined;
    };
    const [hasOlder, hasNewer] = await Promise.all([
      oldestSeq === undefined ? false : next({ beforeSeq: oldestSeq }),
      newestSeq === undefined ? false : next({ afterSeq: newestSeq }),
    ]);
    return {
      older: hasOlder && oldestSeq !== undefined ? formatHistoryCursor('older', oldestSeq) : undefined,
      newer: hasNewer && newestSeq !== undefined ? formatHistoryCursor('newer', newestSeq) : undefined,
    };
  }
}

function gapOf(gap: Gap): HistoryGap {
  const { fromSeq, toSeq, reason } = gap;
  return { fromSeq, toSeq, from: gap.fromAt, to: gap.toAt, reason };
}

function timeOf(row: HistoryRow | undefined): EpochMs | undefined {
  return row === undefined ? undefined : (JSON.parse(row.json) as Observation).at;
}

interface HistoryPageQuery {
  readonly filter: HistoryFilter;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  /** The seq itself is excluded. */
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
}

function pageOf({ order, limit, cursor, ...requested }: HistoryQuery): HistoryPageQuery {
  const base = { filter: filterOf(requested), limit };
  if (cursor === undefined) return { ...base, order };
  return cursor.direction === 'older'
    ? { ...base, order: 'desc', beforeSeq: cursor.seq }
    : { ...base, order: 'asc', afterSeq: cursor.seq };
}

function filterOf(requested: HistoryFilterQuery): HistoryFilter {
  return {
    clientId: requested.client,
    streamId: requested.stream,
    sourceId: requested.source,
    typeUrls: anyOf(requested.type),
    kinds: anyOf(requested.kind),
    vantages: anyOf(requested.vantage),
    resourceName: requested.resource,
    version: requested.version,
    errorText: requested.error,
    isRejection: requested.rejected && true,
    from: requested.from,
    to: requested.to,
  };
}

/** Returns undefined for an empty list, which does not filter. */
function anyOf<T>(values: readonly T[]): readonly T[] | undefined {
  return values.length === 0 ? undefined : values;
}
