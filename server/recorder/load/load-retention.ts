import { floorTo } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import type { SqlFile } from '../database/sql-file';
import { hourMs, hourTier, minuteMs, minuteTier } from './load-tiers';

export interface LoadRetention {
  readonly rawMs: number;
  readonly minutesMs: number;
  readonly hoursMs: number;
  /** Of the file: when it is more, the oldest raw values go first, then minutes, then hours. */
  readonly maxBytes: number;
}

export const defaultLoadRetention: LoadRetention = {
  rawMs: 6 * hourMs,
  minutesMs: 7 * 24 * hourMs,
  hoursMs: 400 * 24 * hourMs,
  maxBytes: 1_000_000_000,
};

export const keepAllLoad: LoadRetention = {
  rawMs: Number.MAX_SAFE_INTEGER,
  minutesMs: Number.MAX_SAFE_INTEGER,
  hoursMs: Number.MAX_SAFE_INTEGER,
  maxBytes: 4_000_000_000,
};

/** Rows deleted in one step. */
const rowsAtOnce = 2_000;
const pagesAtOnce = 500;

/** One step. Returns whether there is more to do. */
export function keepLoadWithin(sql: SqlFile, retention: LoadRetention, now: EpochMs): boolean {
  const { rawMs, minutesMs, hoursMs, maxBytes } = retention;
  const aged =
    deleteRaw(sql, floorTo(now - rawMs, minuteMs)) ||
    deleteRolled(sql, minuteTier, floorTo(now - minutesMs, hourMs)) ||
    deleteRolled(sql, hourTier, floorTo(now - hoursMs, hourMs));
  if (aged) return true;
  if (usedBytes(sql) > maxBytes && deleteOldest(sql)) return true;
  sql.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
  return (sql.number('SELECT freelist_count AS n FROM pragma_freelist_count') ?? 0) > pagesAtOnce;
}

function deleteOldest(sql: SqlFile): boolean {
  const rawFrom = sql.number('SELECT min(minute) AS n FROM raw WHERE rolled = 1');
  if (rawFrom !== null) return deleteRaw(sql, rawFrom + minuteMs);
  const minutesFrom = sql.number('SELECT min(begins_at) AS n FROM rolled WHERE tier = 1 AND rolled = 1');
  if (minutesFrom !== null) return deleteRolled(sql, minuteTier, floorTo(minutesFrom, hourMs) + hourMs);
  const hoursFrom = sql.number('SELECT min(begins_at) AS n FROM rolled WHERE tier = 2');
  return hoursFrom !== null && deleteRolled(sql, hourTier, hoursFrom + hourMs);
}

/** Only what is in a minute. */
function deleteRaw(sql: SqlFile, before: EpochMs): boolean {
  return sql.transaction(() => {
    const old = 'SELECT id FROM raw WHERE rolled = 1 AND minute < ? ORDER BY id LIMIT ?';
    sql.run(`DELETE FROM raw_times WHERE id IN (${old})`, [before, rowsAtOnce]);
    sql.run('DELETE FROM fleet WHERE rolled = 1 AND minute < ?', [before]);
    const { changes } = sql.run(`DELETE FROM raw WHERE id IN (${old})`, [before, rowsAtOnce]);
    if (changes > 0) raiseReach(sql, 0, before);
    return changes > 0;
  });
}

/** Of minutes only what is in an hour. */
function deleteRolled(sql: SqlFile, tier: number, before: EpochMs): boolean {
  return sql.transaction(() => {
    const { changes } = sql.run(
      `DELETE FROM rolled WHERE id IN
         (SELECT id FROM rolled WHERE tier = ? AND begins_at < ? AND (tier = 2 OR rolled = 1) LIMIT ?)`,
      [tier, before, rowsAtOnce],
    );
    if (changes > 0) raiseReach(sql, tier, before);
    return changes > 0;
  });
}

function raiseReach(sql: SqlFile, tier: number, from: EpochMs): void {
  sql.run(
    `INSERT INTO reach (tier, from_at) VALUES (?, ?)
       ON CONFLICT (tier) DO UPDATE SET from_at = max(from_at, excluded.from_at)`,
    [tier, from],
  );
}

function usedBytes(sql: SqlFile): number {
  return (
    sql.number(
      `SELECT (page_count - freelist_count) * page_size AS n
         FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    ) ?? 0
  );
}
