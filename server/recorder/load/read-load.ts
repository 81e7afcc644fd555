import type { LoadKind } from '@/lib/load/load-series';
import type { LoadValues } from '@/lib/load/load-values';
import { floorTo, type LoadReadingPlan, type LoadSpan } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { addLoadBlock } from '../../load/load-block';
import { bytesOf, type SqlFile } from '../database/sql-file';
import type { FoundSeries } from './find-load-series';
import type { LoadStore } from './load-store';
import { hourTier, minuteMs, minuteTier } from './load-tiers';
import { addSeries, type MinuteSums } from './minute-sums';

/** Where values of a series are added to: raw ones with their time, sums with the beginning of theirs. */
export type FindLoadSum = (series: number, kind: LoadKind, beginsAt: EpochMs) => LoadValues;

/** What a store reads from: its file, and the minutes that are not rolled up yet. */
export type LoadRows = Pick<LoadStore, 'sql' | 'fleet' | 'openMinutes'>;

/** Every value of clients' series in the plan's span, once. `isTotal`: nobody asks when in the span a raw value was. */
export function readLoad(
  { sql, openMinutes }: LoadRows,
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
    for (const { minute, isRolled, bytes } of rawBlocks(sql, { from, to })) {
      if (isRolled === 0 && done.has(minute)) continue;
      addLoadBlock(bytesOf(bytes), (series, kind, at) =>
        wanted.has(series) && at >= from && at < to ? findSum(series, kind, at) : undefined,
      );
    }
  };
  const rolled = { sql, wanted, shards: all.map(({ shard }) => shard), findSum };
  for (const span of plan.hours) {
    readRolled(rolled, hourTier, span);
    readRolled(rolled, minuteTier, span, 'AND rolled = 0');
    readOpen(span);
  }
  for (const span of plan.minutes) {
    readRolled(rolled, minuteTier, span);
    readOpen(span);
  }
  for (const span of plan.raw) readRaw(span);
}

/** Rows of raw with anything in the span. */
export function rawBlocks(
  sql: SqlFile,
  { from, to }: LoadSpan,
): readonly { readonly minute: number; readonly isRolled: number; readonly bytes: ArrayBuffer }[] {
  return sql.all(
    `SELECT minute, rolled AS isRolled, bytes FROM raw JOIN raw_times USING (id)
       WHERE rolled IN (0, 1) AND minute >= ? AND minute < ?
         AND first_at < ? AND last_at >= ?`,
    [floorTo(from, minuteMs), to, to, from],
  );
}

export interface RolledReading {
  readonly sql: SqlFile;
  readonly wanted: ReadonlySet<number>;
  readonly shards: readonly number[];
  readonly findSum: FindLoadSum;
}

/** Sums of a tier. */
export function readRolled(
  { sql, wanted, shards, findSum }: RolledReading,
  tier: number,
  { from, to }: LoadSpan,
  only = '',
): void {
  for (const { beginsAt, bytes } of sql.all<{ beginsAt: number; bytes: ArrayBuffer }>(
    `SELECT begins_at AS beginsAt, bytes FROM rolled
       WHERE tier = ? AND shard IN (SELECT value FROM json_each(?)) AND begins_at >= ? AND begins_at < ? ${only}`,
    [tier, JSON.stringify([...new Set(shards)]), from, to],
  )) {
    addLoadBlock(bytesOf(bytes), (series, kind) =>
      wanted.has(series) ? findSum(series, kind, beginsAt) : undefined,
    );
  }
}
