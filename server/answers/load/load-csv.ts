import type { LoadLine, LoadSeriesAnswer, LoadTotalsAnswer } from '@/lib/api/load';
import { formatIsoTime } from '@/lib/format/iso-time';
import { formatLocality } from '@/lib/format/locality';

type Cell = string | number | null | undefined;

const sums = ['reports', 'successful', 'errors', 'issued', 'dropped', 'metricCount', 'metricSum'] as const;

export function totalsCsv({ from, to, groups, others }: LoadTotalsAnswer): string {
  const rows = [...groups, ...(others === null ? [] : [others])].map((line) => [
    ...[formatIsoTime(from), formatIsoTime(to), ...keyCells(line)],
    ...sums.map((sum) => line.totals[sum]),
  ]);
  return csvOf([['from', 'to', ...keyNames, ...sums], ...rows]);
}

/** Writes a row for each group and each step with a report. */
export function seriesCsv({ valuesFrom, stepMs, groups, others }: LoadSeriesAnswer): string {
  const lines = [...groups, ...(others === null ? [] : [others])];
  const measures = Object.keys(lines[0]?.values ?? {});
  const rows = lines.flatMap((line) => {
    const steps = line.values[measures[0] ?? '']?.length ?? 0;
    return Array.from({ length: steps }, (_, step) => ({
      step,
      cells: measures.map((measure) => line.values[measure]?.[step] ?? null),
    }))
      .filter(({ cells }) => cells.some((cell) => cell !== null))
      .map(({ step, cells }) => [
        ...[formatIsoTime(valuesFrom + step * stepMs), stepMs / 1_000, ...keyCells(line)],
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
