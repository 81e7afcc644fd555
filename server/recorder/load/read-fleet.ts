import { floorTo, type LoadReadingPlan, type LoadSpan, minuteMs } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { addLoadBlock } from '../../load/load-block';
import type { FoundSeries } from '../storage/load-storage';
import { cellMs, FleetCells, type FleetSums, fleetSumOf, forEachSum } from './fleet-cells';
import { addSeries } from './minute-sums';
import { type FindLoadSum, type LoadRows, readPlan } from './read-load';

/** Reads every value of the fleet's series in the span once. The time of raw values is that of their cell. */
export function readFleet(
  rows: LoadRows,
  plan: LoadReadingPlan,
  all: readonly Pick<FoundSeries, 'id' | 'shard'>[],
  findSum: FindLoadSum,
): void {
  const { storage } = rows;
  const wanted = new Set(all.map(({ id }) => id));
  const readOpen = (span: LoadSpan): void => {
    for (const { minute, bytes } of storage.readFleet(span, 'open')) {
      addLoadBlock(bytes, (series, kind) => (wanted.has(series) ? findSum(series, kind, minute) : undefined));
    }
  };
  const readRaw = (span: LoadSpan): void => readCells(rows, span, wanted, findSum);
  readPlan(storage, plan, all, { findSum, readOpen, readRaw });
}

/** If a cell is only partly in the span, raw values are read, unless all of its values are in the span. */
function readCells(
  rows: LoadRows,
  { from, to }: LoadSpan,
  wanted: ReadonlySet<number>,
  findSum: FindLoadSum,
): void {
  const [firstCell, lastCell] = [floorTo(from, cellMs), floorTo(to, cellMs)];
  const last: FleetSums = [];
  let newestAt = Number.NEGATIVE_INFINITY;
  for (const { bytes } of rows.storage.readFleet({ from: floorTo(from, minuteMs), to }, 'all')) {
    addLoadBlock(bytes, (series, kind, at) => {
      const cell = floorTo(at, cellMs);
      if (cell < from || cell > lastCell) return undefined;
      if (cell === lastCell && at > newestAt) newestAt = at;
      if (!wanted.has(series)) return undefined;
      if (cell < lastCell) return findSum(series, kind, cell);
      return fleetSumOf(last, series, kind);
    });
  }
  const isLastWhole = lastCell >= from && newestAt < to;
  forEachSum(isLastWhole ? last : [], (series, sum) => {
    addSeries(findSum(series, sum.kind, lastCell), sum, true);
  });
  const cut = new Set<EpochMs>();
  if (firstCell < from) cut.add(firstCell);
  if (lastCell < to && !isLastWhole) cut.add(lastCell);
  for (const cell of cut) {
    readPart(rows, { from: Math.max(from, cell), to: Math.min(to, cell + cellMs) }, wanted, findSum);
  }
}

function readPart(
  { storage, fleet }: LoadRows,
  span: LoadSpan,
  wanted: ReadonlySet<number>,
  findSum: FindLoadSum,
): void {
  const cells = new FleetCells(fleet, span.from, span.to);
  for (const { bytes } of storage.readRaw(span)) cells.read(bytes);
  for (const [cell, sums] of cells.cells) {
    forEachSum(sums, (series, sum) => {
      if (wanted.has(series)) addSeries(findSum(series, sum.kind, cell), sum, true);
    });
  }
}
