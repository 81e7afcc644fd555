import { findNewestCheckpoint } from './checkpoint';
import type { SqlFile } from './sql-file';

export interface UnnamedBody {
  readonly id: number;
  readonly hash: string;
}

export interface RetentionLimits {
  /** Observations made before this may go. */
  readonly olderThan: number;
  /** While the recording holds more than this, the oldest observations may go whatever their age. */
  readonly maxBytes: number;
}

/**
 * Deletes up to `limit` of the oldest observations that the limits no longer keep, and none that a restart needs:
 * those after the newest checkpoint. Returns how many went.
 */
export function deleteOldObservations(sql: SqlFile, limits: RetentionLimits, limit: number): number {
  const checkpointSeq = findNewestCheckpoint(sql)?.seq;
  if (checkpointSeq === undefined) return 0;
  const oldest = sql.all<{ seq: number; at: number }>(
    'SELECT seq, at FROM observations WHERE seq <= ? ORDER BY seq LIMIT ?',
    [checkpointSeq, limit],
  );
  const isTooBig = usedBytes(sql) > limits.maxBytes;
  const keptFrom = isTooBig ? -1 : oldest.findIndex(({ at }) => at >= limits.olderThan);
  const last = oldest.at(keptFrom === -1 ? -1 : keptFrom - 1);
  if (!last || keptFrom === 0) return 0;
  return sql.transaction(() => {
    sql.run('DELETE FROM gaps WHERE to_seq <= ?', [last.seq]);
    return sql.run('DELETE FROM observations WHERE seq <= ?', [last.seq]).changes;
  });
}

/**
 * Bodies that no observation, checkpoint or permalink names any more. They may still be known elsewhere in the
 * process as stored: whoever knows them must forget them before deleteUnnamedBodies is called.
 */
export function findUnnamedBodies(sql: SqlFile, limit: number): UnnamedBody[] {
  const keptFrom = oldestNamingSeq(sql);
  if (keptFrom === null) return [];
  return sql.all<UnnamedBody>(
    `SELECT id, hash FROM bodies WHERE last_seq < ?
       AND NOT EXISTS (SELECT 1 FROM permalink_bodies p WHERE p.hash = bodies.hash) LIMIT ?`,
    [keptFrom, limit],
  );
}

/** Deletes those that are still unnamed: one may have been named again since it was found. Returns how many went. */
export function deleteUnnamedBodies(sql: SqlFile, ids: readonly number[]): number {
  const keptFrom = oldestNamingSeq(sql);
  if (keptFrom === null) return 0;
  return sql.transaction(() => {
    const { changes } = sql.run(
      `DELETE FROM bodies WHERE id IN (SELECT value FROM json_each(?)) AND last_seq < ?
         AND NOT EXISTS (SELECT 1 FROM permalink_bodies p WHERE p.hash = bodies.hash)`,
      [JSON.stringify(ids), keptFrom],
    );
    sql.run(
      `DELETE FROM body_bytes WHERE body_id IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM bodies b WHERE b.id = body_id)`,
      [JSON.stringify(ids)],
    );
    return changes;
  });
}

/**
 * Everything that names bodies has a seq of at least this: the observations that are left, and the newest checkpoint.
 * null is "cannot be told": no checkpoint yet, or a gap since the checkpoint, in which a body may have been named
 * again without a trace. (A body that only the observation at exactly the checkpoint's seq named is kept until the
 * next checkpoint: the number alone does not tell which of the two named it.)
 */
function oldestNamingSeq(sql: SqlFile): number | null {
  const checkpoint = findNewestCheckpoint(sql);
  if (!checkpoint) return null;
  const newestGap = sql.number('SELECT max(to_seq) AS n FROM gaps');
  if (newestGap !== null && newestGap > checkpoint.seq) return null;
  const oldest = sql.number('SELECT min(seq) AS n FROM observations');
  return oldest === null ? checkpoint.seq : Math.min(oldest, checkpoint.seq);
}

export function usedBytes(sql: SqlFile): number {
  const pages = pragmaNumber(sql, 'page_count') - pragmaNumber(sql, 'freelist_count');
  return pages * pragmaNumber(sql, 'page_size');
}

export function fileBytes(sql: SqlFile): number {
  return pragmaNumber(sql, 'page_count') * pragmaNumber(sql, 'page_size');
}

/** Gives some free pages back to the disk. Returns whether there are more. */
export function shrinkFile(sql: SqlFile, pages: number): boolean {
  sql.exec(`PRAGMA incremental_vacuum(${Math.trunc(pages)})`);
  return pragmaNumber(sql, 'freelist_count') > 0;
}

function pragmaNumber(sql: SqlFile, name: 'page_count' | 'freelist_count' | 'page_size'): number {
  return sql.number(`SELECT ${name} AS n FROM pragma_${name}`) ?? 0;
}
