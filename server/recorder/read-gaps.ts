import type { EpochMs } from '@/lib/xds/units';
import type { Gap } from './batch-builder';
import type { SqlFile } from './sql-file';

const maxGaps = 1000;

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
