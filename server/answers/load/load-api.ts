import { formatCount } from '@/lib/format/count';
import { formatIsoTime } from '@/lib/format/iso-time';
import { formatLocality } from '@/lib/format/locality';
import { joinByPlace } from '@/lib/load/join-by-place';
import type { LoadGroup, LoadGroupKey, LoadTotals } from '@/lib/load/load-question';
import type { Locality } from '@/lib/observation/observation';
import type { LoadSeriesQuery, LoadTotalsQuery } from '@/lib/views/load/query';
import type {
  LoadAnswered,
  LoadLine,
  LoadSeriesAnswer,
  LoadSeriesLine,
  LoadTotalsAnswer,
} from '@/lib/views/load/schema';
import { maxSeries, maxSeriesOfClient } from '../../live/load/load-batcher';
import type { LoadAnswer } from '../../live/load/load-jobs';
import type { LoadReader } from '../../live/load/load-reader';
import type { NewestMomentOf } from '../subjects/newest-moment';
import type { FindTime } from './load-query';
import { resolveSeriesQuery, resolveTotalsQuery } from './load-query';

interface LoadApiParts {
  readonly nowOf: NewestMomentOf;
  readonly loads: Pick<LoadReader, 'read' | 'stats'>;
  /** Sentences on limits that were reached; absent if no load reports are received. */
  readonly notices?: () => readonly string[];
  readonly findTime: FindTime;
  readonly nodeIdOf: (clientId: string) => string | undefined;
  readonly localityOf: (clientId: string) => Locality | null;
}

export class LoadApi {
  readonly #parts: LoadApiParts;

  constructor(parts: LoadApiParts) {
    this.#parts = parts;
  }

  async totals(query: LoadTotalsQuery, signal?: AbortSignal): Promise<LoadAnswered<LoadTotalsAnswer>> {
    const { question, format, by, limit } = await resolveTotalsQuery(
      query,
      this.#parts.nowOf,
      this.#parts.findTime,
    );
    const read = await this.#parts.loads.read(question, signal);
    const answer =
      by === 'source-locality'
        ? { ...read, ...joinByPlace(read.groups, this.#parts.localityOf, limit) }
        : read;
    const json: LoadTotalsAnswer = {
      ...this.#frame(answer, by),
      groups: answer.groups.map((group) => this.#lineOf(group)),
      others: answer.others && this.#lineOf(answer.others, answer.othersCount),
    };
    return format === 'csv' ? { csv: totalsCsv(json) } : { json };
  }

  async series(query: LoadSeriesQuery, signal?: AbortSignal): Promise<LoadAnswered<LoadSeriesAnswer>> {
    const { question, format, stepMs } = await resolveSeriesQuery(
      query,
      this.#parts.nowOf,
      this.#parts.findTime,
    );
    const answer = await this.#parts.loads.read(question, signal);
    const notes = this.#frame(answer, question.by).notes;
    if ((answer.stepMs ?? stepMs) > stepMs) notes.push('Of that long ago only longer steps are kept.');
    const lineOf = (group: LoadGroup, count?: number): LoadSeriesLine => ({
      ...this.#lineOf(group, count),
      values: { ...group.values } as LoadSeriesLine['values'],
    });
    const json: LoadSeriesAnswer = {
      ...this.#frame(answer, question.by),
      ...{ notes, stepMs: answer.stepMs ?? stepMs },
      groups: answer.groups.map((group) => lineOf(group)),
      others: answer.others && lineOf(answer.others, answer.othersCount),
    };
    return format === 'csv' ? { csv: seriesCsv(json) } : { json };
  }

  #frame({ span, othersCount }: LoadAnswer, by: string) {
    const { missed, leftOut, problem } = this.#parts.loads.stats;
    const notes: string[] = [...(this.#parts.notices?.() ?? [])];
    if (missed > 0) notes.push(`${missed} reports came faster than they could be written, and are missing.`);
    if (leftOut > 0) {
      notes.push(
        `Expected at most ${formatCount(maxSeries)} series, and ${formatCount(maxSeriesOfClient)} of a client: ` +
          `${formatCount(leftOut)} lines of reports were of more, and are not in the series.`,
      );
    }
    if (by === 'priority')
      notes.push('Priorities are as clients report them, and gRPC reports 0 for every locality.');
    if (problem !== '') notes.push(`Load is not being written: ${problem}`);
    return { by, from: span.from, to: span.to, othersCount, notes };
  }

  #lineOf({ key, totals }: LoadGroup, othersCount?: number): LoadLine {
    const name = othersCount === undefined ? this.#nameOf(key) : `${othersCount} others`;
    return { key, name, totals: buildTotals(totals) };
  }

  #nameOf(key: LoadGroupKey): string {
    const { clusterName, clientId, sourceLocality, locality, priority, address, category, metric } = key;
    if (sourceLocality !== undefined)
      return `${formatLocality(sourceLocality)} to ${formatLocality(locality ?? null)}`;
    const client = clientId === undefined ? undefined : (this.#parts.nodeIdOf(clientId) ?? clientId);
    if (client !== undefined && locality !== undefined) return `${client} to ${formatLocality(locality)}`;
    if (address !== undefined) return address;
    if (category !== undefined) return category === '' ? 'no category' : category;
    if (locality !== undefined) return formatLocality(locality);
    if (priority !== undefined) return `priority ${priority}`;
    return client ?? clusterName ?? metric ?? '';
  }
}

function buildTotals(totals: LoadTotals): LoadLine['totals'] {
  const timed = Number(totals.timedReports);
  return {
    reports: String(totals.reports),
    intervalMs: timed === 0 ? undefined : Number(totals.coveredUs) / 1_000 / timed,
    successful: String(totals.successful),
    errors: String(totals.errors),
    issued: totals.issuedUnknown === 0 ? String(totals.issued) : undefined,
    dropped: String(totals.dropped),
    metricCount: String(totals.metricCount),
    metricSum: Number.isFinite(totals.metricSum) ? totals.metricSum : undefined,
    metricNotFinite: String(totals.metricNotFinite),
    lastAt: totals.lastAt,
  };
}

type Cell = string | number | null | undefined;

const sums = ['reports', 'successful', 'errors', 'issued', 'dropped', 'metricCount', 'metricSum'] as const;

function totalsCsv({ from, to, groups, others }: LoadTotalsAnswer): string {
  const rows = [...groups, ...(others === undefined ? [] : [others])].map((line) => [
    ...[formatIsoTime(from), formatIsoTime(to), ...keyCells(line)],
    ...sums.map((sum) => line.totals[sum]),
  ]);
  return csvOf([['from', 'to', ...keyNames, ...sums], ...rows]);
}

/** Writes a row for each group and each step with a report. */
function seriesCsv({ from, stepMs, groups, others }: LoadSeriesAnswer): string {
  const lines = [...groups, ...(others === undefined ? [] : [others])];
  const measures = Object.keys(lines[0]?.values ?? {});
  const rows = lines.flatMap((line) => {
    const steps = line.values[measures[0] ?? '']?.length ?? 0;
    return Array.from({ length: steps }, (_, step) => ({
      step,
      cells: measures.map((measure) => line.values[measure]?.[step] ?? null),
    }))
      .filter(({ cells }) => cells.some((cell) => cell !== null))
      .map(({ step, cells }) => [
        ...[formatIsoTime(from + step * stepMs), stepMs / 1_000, ...keyCells(line)],
        ...cells,
      ]);
  });
  return csvOf([['time', 'step_seconds', ...keyNames, ...measures], ...rows]);
}

const keyNames = [
  'name',
  'cluster',
  'client',
  'source',
  'region',
  'zone',
  'sub_zone',
  'priority',
  'address',
  'category',
  'metric',
];

function keyCells({ key, name }: LoadLine): Cell[] {
  const { clusterName, clientId, sourceLocality, locality, priority, address, category, metric } = key;
  const place = [locality?.region, locality?.zone, locality?.subZone];
  const source = sourceLocality === undefined ? null : formatLocality(sourceLocality);
  return [name, clusterName, clientId, source, ...place, priority, address, category, metric];
}

/** Text that a spreadsheet would interpret as a formula is quoted (RFC 4180). */
function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
