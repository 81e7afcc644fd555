import type { LoadKind, LoadSeries } from '@/lib/load/load-series';
import type { LoadValues } from '@/lib/load/load-values';
import { floorTo, type LoadReadingPlan, type LoadSpan } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { addLoadBlock } from '../../load/load-block';
import { bytesOf, type SqlFile, type SqlValue } from '../sql-file';
import type { FleetSum } from './load-fleet';
import { hourTier, minuteMs, minuteTier } from './load-tiers';
import { addSeries } from './minute-sums';

export interface FoundSeries extends LoadSeries {
  readonly id: number;
  readonly shard: number;
}

/** Series of a cluster, of a client, of both, or all: those of clients, of the fleet (load-fleet.ts), or both. */
export function findLoadSeries(
  sql: SqlFile,
  { cluster, clientId }: { readonly cluster?: string; readonly clientId?: string },
  whose: 'clients' | 'fleet' | 'all',
): FoundSeries[] {
  const conditions = whose === 'all' ? [] : [whose === 'fleet' ? 'id < 0' : 'id > 0'];
  const values: SqlValue[] = [];
  if (cluster !== undefined) {
    conditions.push('cluster = ?');
    values.push(cluster);
  }
  if (clientId !== undefined) {
    conditions.push('client_id = ?');
    values.push(clientId);
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return sql
    .all<{ id: number; shard: number; json: string }>(
      `SELECT id, shard, json FROM series ${where} ORDER BY id`,
      values,
    )
    .map(({ id, shard, json }) => ({ id, shard, ...(JSON.parse(json) as LoadSeries) }));
}

/** Where values of a series are added to: raw ones with their time, sums with the beginning of theirs. */
export type FindLoadSum = (series: number, kind: LoadKind, beginsAt: EpochMs) => LoadValues;

/** What is not in a row of minutes yet. */
export interface OpenMinutes {
  readonly minutes: Iterable<EpochMs>;
  /** Which series the values of a client's series are read as. */
  seriesOf(series: number): number;
  /** What all clients told in a minute, where nothing of it is of `before` or later; else undefined. */
  sumsOf(minute: EpochMs, before: EpochMs): ReadonlyMap<number, FleetSum> | undefined;
}

/** Every value of the series in the plan's span, once. `fleet`: where they are the fleet's. */
export function readLoad(
  sql: SqlFile,
  plan: LoadReadingPlan,
  all: readonly Pick<FoundSeries, 'id' | 'shard'>[],
  findSum: FindLoadSum,
  fleet?: OpenMinutes,
): void {
  const wanted = new Set(all.map(({ id }) => id));
  const shards = JSON.stringify([...new Set(all.map(({ shard }) => shard))]);
  const readRolled = (tier: number, { from, to }: LoadSpan, only = ''): void => {
    for (const { beginsAt, bytes } of sql.all<{ beginsAt: number; bytes: ArrayBuffer }>(
      `SELECT begins_at AS beginsAt, bytes FROM rolled
         WHERE tier = ? AND shard IN (SELECT value FROM json_each(?)) AND begins_at >= ? AND begins_at < ? ${only}`,
      [tier, shards, from, to],
    )) {
      addLoadBlock(bytesOf(bytes), (series, kind) =>
        wanted.has(series) ? findSum(series, kind, beginsAt) : undefined,
      );
    }
  };
  /** Minutes of which no raw value need be read. */
  const readOpen = ({ from, to }: LoadSpan, isExact: boolean): ReadonlySet<EpochMs> => {
    const done = new Set<EpochMs>();
    for (const minute of fleet?.minutes ?? []) {
      if (minute >= to || minute < (isExact ? from : floorTo(from, minuteMs))) continue;
      const sums = fleet?.sumsOf(minute, isExact ? to : Number.POSITIVE_INFINITY);
      if (sums === undefined) continue;
      done.add(minute);
      for (const [series, sum] of sums) {
        if (wanted.has(series)) addSeries(findSum(series, sum.kind, minute), sum);
      }
    }
    return done;
  };
  const readRaw = (span: LoadSpan, rolled: string, isExact: boolean): void => {
    const { from, to } = span;
    const done = readOpen(span, isExact);
    for (const { minute, isRolled, bytes } of sql.all<{
      minute: number;
      isRolled: number;
      bytes: ArrayBuffer;
    }>(
      `SELECT minute, rolled AS isRolled, bytes FROM raw WHERE rolled IN (${rolled}) AND minute >= ? AND minute < ?`,
      [floorTo(from, minuteMs), to],
    )) {
      if (isRolled === 0 && done.has(minute)) continue;
      addLoadBlock(bytesOf(bytes), (told, kind, at) => {
        const series = fleet === undefined ? told : fleet.seriesOf(told);
        if (!wanted.has(series) || (isExact && (at < from || at >= to))) return undefined;
        return findSum(series, kind, isExact ? at : minute);
      });
    }
  };
  for (const span of plan.hours) {
    readRolled(hourTier, span);
    readRolled(minuteTier, span, 'AND rolled = 0');
    readRaw(span, '0', false);
  }
  for (const span of plan.minutes) {
    readRolled(minuteTier, span);
    readRaw(span, '0', false);
  }
  for (const span of plan.raw) readRaw(span, '0, 1', true);
}
