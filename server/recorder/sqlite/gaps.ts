import type { Gap, GapStore } from '../storage/state-stores';
import { type SqlFile, type SqlText, textOf } from './sql-file';

const maxGaps = 1000;

export function sqliteGaps(sql: SqlFile): GapStore {
  return {
    save({ fromSeq, toSeq, fromAt, toAt, reason }) {
      sql.run('INSERT OR REPLACE INTO gaps VALUES (?, ?, ?, ?, ?)', [fromSeq, toSeq, fromAt, toAt, reason]);
    },
    read: (from = -8.64e15, to = 8.64e15) =>
      sql
        .all<Omit<Gap, 'reason'> & { readonly reason: SqlText }>(
          `SELECT from_seq AS fromSeq, to_seq AS toSeq, from_at AS fromAt, to_at AS toAt, reason FROM gaps
             WHERE to_at >= ? AND from_at <= ? ORDER BY from_seq DESC LIMIT ?`,
          [from, to, maxGaps],
        )
        .map((gap) => ({ ...gap, reason: textOf(gap.reason) }))
        .reverse(),
    totals: () =>
      sql.first(
        `SELECT count(*) AS count, coalesce(sum(to_seq - from_seq + 1), 0) AS observations, max(to_at) AS newestAt,
           coalesce(max(to_seq), 0) AS newestSeq FROM gaps`,
      ) ?? { count: 0, observations: 0, newestAt: null, newestSeq: 0 },
    deleteUntil(seq) {
      sql.run('DELETE FROM gaps WHERE to_seq <= ?', [seq]);
    },
  };
}
