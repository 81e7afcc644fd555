import type { LoadKind } from '@/lib/load/load-series';
import type { LoadValues } from '@/lib/load/load-values';
import { floorTo, type LoadReadingPlan, type LoadSpan, minuteMs } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import type { FoundSeries, LoadTier } from '../../store/load/load-rows';
import type { LoadTables } from '../../store/load/load-tables';
import { cellMs, FleetCells, type FleetSums, fleetSumOf, forEachSum } from './fleet-cells';
import { addLoadBlock } from './load-block';
import type { LoadStore } from './load-store';
import { addSeries, type MinuteSums } from './minute-sums';

/** Returns the sum to which a value is added. `beginsAt` is the time of a raw value, or the beginning of a sum. */
export type FindLoadSum = (series: number, kind: LoadKind, beginsAt: EpochMs) => LoadValues;

export type LoadRows = Pick<LoadStore, 'storage' | 'fleet' | 'openMinutes'>;

/** Reads every value of clients' series in the span once. `isTotal`: the times of raw values do not matter. */
export async function readLoad(
  { storage, openMinutes }: LoadRows,
  plan: LoadReadingPlan,
  all: readonly Pick<FoundSeries, 'id' | 'shard'>[],
  findSum: FindLoadSum,
  isTotal = false,
): Promise<void> {
  const wanted = new Set(all.map(({ id }) => id));
  const addOpen = (minute: EpochMs, sums: MinuteSums): void => {
    for (const { id } of all) {
      const values = sums.valuesOf(id);
      if (values !== undefined) addSeries(findSum(id, sums.kindOf(id), minute), values, false);
    }
  };
  const readOpen = async ({ from, to }: LoadSpan): Promise<void> => {
    for (const [minute, sums] of openMinutes) if (minute >= from && minute < to) addOpen(minute, sums);
  };
  const readRaw = async ({ from, to }: LoadSpan): Promise<void> => {
    const done = new Set<EpochMs>();
    for (const [minute, sums] of isTotal ? openMinutes : []) {
      if (minute < from || sums.newestAt >= to) continue;
      done.add(minute);
      addOpen(minute, sums);
    }
    for (const { minute, isOpen, bytes } of await storage.readRaw({ from, to })) {
      if (isOpen && done.has(minute)) continue;
      addLoadBlock(bytes, (series, kind, at) =>
        wanted.has(series) && at >= from && at < to ? findSum(series, kind, at) : undefined,
      );
    }
  };
  await readPlan(storage, plan, all, { findSum, readOpen, readRaw });
}

/** Reads the hours and minutes of the plan, open minutes with `readOpen`, and raw values with `readRaw`. */
export async function readPlan(
  storage: LoadTables,
  plan: LoadReadingPlan,
  all: readonly Pick<FoundSeries, 'id' | 'shard'>[],
  {
    findSum,
    readOpen,
    readRaw,
  }: {
    readonly findSum: FindLoadSum;
    readonly readOpen: (span: LoadSpan) => Promise<void>;
    readonly readRaw: (span: LoadSpan) => Promise<void>;
  },
): Promise<void> {
  const wanted = new Set(all.map(({ id }) => id));
  const shards = all.map(({ shard }) => shard);
  const readSums = async (tier: LoadTier, span: LoadSpan, which: 'open' | 'all'): Promise<void> => {
    for (const { beginsAt, bytes } of await storage.readSums(tier, shards, span, which)) {
      addLoadBlock(bytes, (series, kind) =>
        wanted.has(series) ? findSum(series, kind, beginsAt) : undefined,
      );
    }
  };
  for (const span of plan.hours) {
    await readSums('hours', span, 'all');
    await readSums('minutes', span, 'open');
    await readOpen(span);
  }
  for (const span of plan.minutes) {
    await readSums('minutes', span, 'all');
    await readOpen(span);
  }
  for (const span of plan.raw) await readRaw(span);
}

/** Reads every value of the fleet's series in the span once. The time of raw values is that of their cell. */
export async function readFleet(
  rows: LoadRows,
  plan: LoadReadingPlan,
  all: readonly Pick<FoundSeries, 'id' | 'shard'>[],
  findSum: FindLoadSum,
): Promise<void> {
  const { storage } = rows;
  const wanted = new Set(all.map(({ id }) => id));
  const readOpen = async (span: LoadSpan): Promise<void> => {
    for (const { minute, bytes } of await storage.readFleet(span, 'open')) {
      addLoadBlock(bytes, (series, kind) => (wanted.has(series) ? findSum(series, kind, minute) : undefined));
    }
  };
  const readRaw = (span: LoadSpan): Promise<void> => readCells(rows, span, wanted, findSum);
  await readPlan(storage, plan, all, { findSum, readOpen, readRaw });
}

/** If a cell is only partly in the span, raw values are read, unless all of its values are in the span. */
async function readCells(
  rows: LoadRows,
  { from, to }: LoadSpan,
  wanted: ReadonlySet<number>,
  findSum: FindLoadSum,
): Promise<void> {
  const [firstCell, lastCell] = [floorTo(from, cellMs), floorTo(to, cellMs)];
  const last: FleetSums = [];
  let newestAt = Number.NEGATIVE_INFINITY;
  for (const { bytes } of await rows.storage.readFleet({ from: floorTo(from, minuteMs), to }, 'all')) {
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
    await readPart(rows, { from: Math.max(from, cell), to: Math.min(to, cell + cellMs) }, wanted, findSum);
  }
}

async function readPart(
  { storage, fleet }: LoadRows,
  span: LoadSpan,
  wanted: ReadonlySet<number>,
  findSum: FindLoadSum,
): Promise<void> {
  const cells = new FleetCells(fleet, span.from, span.to);
  for (const { bytes } of await storage.readRaw(span)) cells.read(bytes);
  for (const [cell, sums] of cells.cells) {
    forEachSum(sums, (series, sum) => {
      if (wanted.has(series)) addSeries(findSum(series, sum.kind, cell), sum, true);
    });
  }
}
