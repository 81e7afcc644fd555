import type { LogBlocks } from '../blocks/log-blocks';
import { tidyPacks } from '../bodies/body-packs';
import type { SqlFile } from '../database/sql-file';
import { findNewestCheckpoint } from '../snapshots/checkpoint';
import { replaceWaiting } from '../writer/waiting-rows';

export interface UnnamedBody {
  readonly id: number;
  readonly hash: string;
}

export interface RetentionLimits {
  /** Observations made before this may go. */
  readonly olderThan: number;
  /** While the recording holds more than this, the oldest observations may go whatever their age. */
  readonly maxBytes: number;
  /** The same for more observations than this. */
  readonly maxCount: number;
}

/** Deletes what is up to `untilSeq`, but for pinned blocks. Returns how many observations went. */
export function deleteObservations(sql: SqlFile, log: LogBlocks, untilSeq: number): number {
  const gone = log.metas.filter(({ isPinned, lastSeq }) => !isPinned && lastSeq <= untilSeq);
  const tail = log.tail.filter(({ seq }) => seq > untilSeq);
  const count = gone.reduce((sum, block) => sum + block.count, log.tail.length - tail.length);
  sql.transaction(() => {
    for (const meta of gone) log.deleteBlock(meta);
    if (tail.length < log.tail.length) replaceWaiting(sql, tail);
    deleteGaps(sql, untilSeq);
  });
  log.applyBlocks([], gone, tail);
  return count;
}

function deleteGaps(sql: SqlFile, untilSeq: number): void {
  sql.run('DELETE FROM gaps WHERE to_seq <= ?', [untilSeq]);
}

/**
 * Bodies that no observation, checkpoint, permalink or pin names any more. They may still be known elsewhere in the
 * process as stored: whoever knows them must forget them before deleteUnnamedBodies is called.
 */
export function findUnnamedBodies(sql: SqlFile, log: LogBlocks, limit: number): UnnamedBody[] {
  const keptFrom = oldestNamingSeq(sql, log);
  if (keptFrom === null) return [];
  return sql.all<UnnamedBody>(
    `SELECT id, hash FROM bodies WHERE last_seq < ?
       AND NOT EXISTS (SELECT 1 FROM permalink_bodies p WHERE p.hash = bodies.hash)
       AND NOT EXISTS (SELECT 1 FROM pinned_bodies p WHERE p.hash = bodies.hash) LIMIT ?`,
    [keptFrom, limit],
  );
}

/** Deletes those that are still unnamed: one may have been named again since it was found. Returns how many went. */
export function deleteUnnamedBodies(sql: SqlFile, log: LogBlocks, ids: readonly number[]): number {
  const keptFrom = oldestNamingSeq(sql, log);
  if (keptFrom === null) return 0;
  return sql.transaction(() => {
    const packs = sql.all<{ id: number }>(
      'SELECT DISTINCT pack_id AS id FROM bodies WHERE id IN (SELECT value FROM json_each(?))',
      [JSON.stringify(ids)],
    );
    const { changes } = sql.run(
      `DELETE FROM bodies WHERE id IN (SELECT value FROM json_each(?)) AND last_seq < ?
         AND NOT EXISTS (SELECT 1 FROM permalink_bodies p WHERE p.hash = bodies.hash)
       AND NOT EXISTS (SELECT 1 FROM pinned_bodies p WHERE p.hash = bodies.hash)`,
      [JSON.stringify(ids), keptFrom],
    );
    tidyPacks(sql, new Set(packs.map(({ id }) => id)));
    return changes;
  });
}

/**
 * Everything that names bodies has a seq of at least this: the observations that are left, and the newest checkpoint.
 * null is "cannot be reported": no checkpoint yet, or a gap since the checkpoint, in which a body may have been named
 * again without a trace. (A body that only the observation at exactly the checkpoint's seq named is kept until the
 * next checkpoint: the number alone does not tell which of the two named it.)
 */
function oldestNamingSeq(sql: SqlFile, log: LogBlocks): number | null {
  const checkpoint = findNewestCheckpoint(sql);
  if (!checkpoint) return null;
  const newestGap = sql.number('SELECT max(to_seq) AS n FROM gaps');
  if (newestGap !== null && newestGap > checkpoint.seq) return null;
  const oldest = log.oldest?.seq;
  return oldest === undefined ? checkpoint.seq : Math.min(oldest, checkpoint.seq);
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
