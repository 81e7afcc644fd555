import { type BodyTouches, touchBodies } from '../bodies/body-touches';
import { packJson, unpackJson } from '../bodies/packing';
import type { SqlFile, SqlText } from '../database/sql-file';

/** A slice of one client's state. */
export interface CheckpointChunk {
  readonly clientId: string;
  readonly json: string;
  /** Every body that the slice names. */
  readonly hashes: readonly string[];
}

export interface CheckpointPage {
  readonly chunks: readonly string[];
  /** Read on after this; null at the end. */
  readonly next: number | null;
}

export function beginCheckpoint(sql: SqlFile, seq: number, createdAt: number): number {
  return sql.run('INSERT INTO checkpoints (seq, created_at, complete) VALUES (?, ?, 0)', [seq, createdAt])
    .lastInsertRowid;
}

export function addCheckpointChunks(
  sql: SqlFile,
  touches: BodyTouches,
  id: number,
  chunks: readonly CheckpointChunk[],
): void {
  const seq = sql.number('SELECT seq AS n FROM checkpoints WHERE id = ?', [id]) ?? 0;
  sql.transaction(() => {
    for (const { clientId, json, hashes } of chunks) {
      sql.run('INSERT INTO checkpoint_chunks (checkpoint_id, client_id, json) VALUES (?, ?, ?)', [
        id,
        clientId,
        packJson(json),
      ]);
      touchBodies(sql, touches, new Map(hashes.map((hash) => [hash, seq])));
    }
  });
}

/** From this transaction on it is the one that a restart begins with. */
export function completeCheckpoint(sql: SqlFile, id: number): void {
  sql.run('UPDATE checkpoints SET complete = 1 WHERE id = ?', [id]);
}

export function findNewestCheckpoint(sql: SqlFile): { id: number; seq: number } | undefined {
  return sql.first<{ id: number; seq: number }>(
    'SELECT id, seq FROM checkpoints WHERE complete = 1 ORDER BY seq DESC, id DESC LIMIT 1',
  );
}

/**
 * Of one client, where it is named; else of all. Of all, the unary plus keeps SQLite from the index of clients, with which
 * it would sort the rest of the checkpoint for every page.
 */
export function readCheckpoint(
  sql: SqlFile,
  id: number,
  afterChunk: number,
  limit: number,
  clientId?: string,
): CheckpointPage {
  const rows = sql.all<{ id: number; json: SqlText }>(
    `SELECT id, json FROM checkpoint_chunks
       WHERE ${clientId === undefined ? '+checkpoint_id = ?' : 'checkpoint_id = ? AND client_id = ?'} AND id > ?
       ORDER BY id LIMIT ?`,
    clientId === undefined ? [id, afterChunk, limit] : [id, clientId, afterChunk, limit],
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { chunks: rows.map(({ json }) => unpackJson(json)), next: last ? last.id : null };
}

/**
 * Deletes some chunks of checkpoints other than the newest complete one. Returns whether there is more to delete: in
 * slices, so that writes get their turn. No checkpoint may be half written.
 */
export function deleteStaleCheckpoints(sql: SqlFile, limit: number): boolean {
  const newest = findNewestCheckpoint(sql);
  const stale = sql.first<{ id: number }>(
    'SELECT id FROM checkpoints WHERE id IS NOT ? ORDER BY id LIMIT 1',
    [newest?.id ?? null],
  );
  if (!stale) return false;
  sql.transaction(() => {
    const { changes } = sql.run(
      'DELETE FROM checkpoint_chunks WHERE id IN (SELECT id FROM checkpoint_chunks WHERE checkpoint_id = ? LIMIT ?)',
      [stale.id, limit],
    );
    if (changes < limit) sql.run('DELETE FROM checkpoints WHERE id = ?', [stale.id]);
  });
  return true;
}
