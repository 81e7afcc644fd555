import type { LoadKind, LoadSeries } from '@/lib/load/load-series';
import type { LoadValues } from '@/lib/load/load-values';
import { floorTo, type LoadReadingPlan, type LoadSpan } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { bytesOf, type SqlFile, type SqlValue } from '../sql-file';
import { addLoadBlock } from './load-block';
import { hourTier, minuteMs, minuteTier } from './load-store';

export interface FoundSeries extends LoadSeries {
  readonly id: number;
  readonly shard: number;
}

/** Series of a cluster, of a client, of both, or all. */
export function findLoadSeries(
  sql: SqlFile,
  { cluster, clientId }: { readonly cluster?: string; readonly clientId?: string },
): FoundSeries[] {
  const conditions: string[] = [];
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

/** Every value of the series in the plan's span, once. */
export function readLoad(
  sql: SqlFile,
  plan: LoadReadingPlan,
  all: readonly Pick<FoundSeries, 'id' | 'shard'>[],
  findSum: FindLoadSum,
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
  const readRaw = ({ from, to }: LoadSpan, rolled: string, isExact: boolean): void => {
    for (const { minute, bytes } of sql.all<{ minute: number; bytes: ArrayBuffer }>(
      `SELECT minute, bytes FROM raw WHERE rolled IN (${rolled}) AND minute >= ? AND minute < ?`,
      [floorTo(from, minuteMs), to],
    )) {
      addLoadBlock(bytesOf(bytes), (series, kind, at) => {
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
