import type { LoadKind } from '@/lib/load/load-series';
import type { LoadValues } from '@/lib/load/load-values';
import type { LoadReadingPlan, LoadSpan } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { addLoadBlock } from '../../load/load-block';
import type { FoundSeries, LoadStorage, LoadTier } from '../storage/load-storage';
import type { LoadStore } from './load-store';
import { addSeries, type MinuteSums } from './minute-sums';

/** Returns the sum to which a value is added. `beginsAt` is the time of a raw value, or the beginning of a sum. */
export type FindLoadSum = (series: number, kind: LoadKind, beginsAt: EpochMs) => LoadValues;

export type LoadRows = Pick<LoadStore, 'storage' | 'fleet' | 'openMinutes'>;

/** Reads every value of clients' series in the span once. `isTotal`: the times of raw values do not matter. */
export function readLoad(
  { storage, openMinutes }: LoadRows,
  plan: LoadReadingPlan,
  all: readonly Pick<FoundSeries, 'id' | 'shard'>[],
  findSum: FindLoadSum,
  isTotal = false,
): void {
  const wanted = new Set(all.map(({ id }) => id));
  const addOpen = (minute: EpochMs, sums: MinuteSums): void => {
    for (const { id } of all) {
      const values = sums.valuesOf(id);
      if (values !== undefined) addSeries(findSum(id, sums.kindOf(id), minute), values, false);
    }
  };
  const readOpen = ({ from, to }: LoadSpan): void => {
    for (const [minute, sums] of openMinutes) if (minute >= from && minute < to) addOpen(minute, sums);
  };
  const readRaw = ({ from, to }: LoadSpan): void => {
    const done = new Set<EpochMs>();
    for (const [minute, sums] of isTotal ? openMinutes : []) {
      if (minute < from || sums.newestAt >= to) continue;
      done.add(minute);
      addOpen(minute, sums);
    }
    for (const { minute, isOpen, bytes } of storage.readRaw({ from, to })) {
      if (isOpen && done.has(minute)) continue;
      addLoadBlock(bytes, (series, kind, at) =>
        wanted.has(series) && at >= from && at < to ? findSum(series, kind, at) : undefined,
      );
    }
  };
  readPlan(storage, plan, all, { findSum, readOpen, readRaw });
}

/** Reads the hours and minutes of the plan, open minutes with `readOpen`, and raw values with `readRaw`. */
export function readPlan(
  storage: LoadStorage,
  plan: LoadReadingPlan,
  all: readonly Pick<FoundSeries, 'id' | 'shard'>[],
  {
    findSum,
    readOpen,
    readRaw,
  }: {
    readonly findSum: FindLoadSum;
    readonly readOpen: (span: LoadSpan) => void;
    readonly readRaw: (span: LoadSpan) => void;
  },
): void {
  const wanted = new Set(all.map(({ id }) => id));
  const shards = all.map(({ shard }) => shard);
  const readSums = (tier: LoadTier, span: LoadSpan, which: 'open' | 'all'): void => {
    for (const { beginsAt, bytes } of storage.readSums(tier, shards, span, which)) {
      addLoadBlock(bytes, (series, kind) =>
        wanted.has(series) ? findSum(series, kind, beginsAt) : undefined,
      );
    }
  };
  for (const span of plan.hours) {
    readSums('hours', span, 'all');
    readSums('minutes', span, 'open');
    readOpen(span);
  }
  for (const span of plan.minutes) {
    readSums('minutes', span, 'all');
    readOpen(span);
  }
  for (const span of plan.raw) readRaw(span);
}
