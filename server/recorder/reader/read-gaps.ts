import type { EpochMs } from '@/lib/xds/units';
import type { SqlFile } from '../database/sql-file';
import type { Gap } from '../writer/batch-builder';

const maxGaps = 1000;

/** What the log is known to lack, since where it begins. */
export interface GapTotals {
  readonly count: number;
  /** That did not reach the log. */
  readonly observations: number;
  /** When the newest of them was observed; null: there is no gap. */
  readonly newestAt: EpochMs | null;
}

export function countGaps(sql: SqlFile): GapTotals & { readonly newestSeq: number } {
  const [totals] = sql.all<GapTotals & { newestSeq: number }>(
    `SELECT count(*) AS count, coalesce(sum(to_seq - from_seq + 1), 0) AS observations, max(to_at) AS newestAt,
       coalesce(max(to_seq), 0) AS newestSeq FROM gaps`,
  );
  return totals ?? { count: 0, observations: 0, newestAt: null, newestSeq: 0 };
}

/** What could not be recorded between two moments (both included), oldest first; the newest ones where there are more. */
export function readGaps(sql: SqlFile, from: EpochMs = -8.64e15, to: EpochMs = 8.64e15): Gap[] {
  return sql
    .all<Gap>(
      `SELECT from_seq AS fromSeq, to_seq AS toSeq, from_at AS fromAt, to_at AS toAt, reason FROM gaps
         WHERE to_at >= ? AND from_at <= ? ORDER BY from_seq DESC LIMIT ?`,
      [from, to, maxGaps],
    )
    .reverse();
}
