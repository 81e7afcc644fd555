import type { CheckpointStore, StoredCheckpoint } from '../storage/state-stores';
import { packJson, type SqlFile, type SqlText, unpackJson } from './sql-file';

export function sqliteCheckpoints(sql: SqlFile): CheckpointStore {
  const newest = (): StoredCheckpoint | undefined =>
    sql.first('SELECT id, seq FROM checkpoints WHERE complete = 1 ORDER BY seq DESC, id DESC LIMIT 1');
  return {
    newest,
    begin: (seq, createdAt) =>
      sql.run('INSERT INTO checkpoints (seq, created_at, complete) VALUES (?, ?, 0)', [seq, createdAt])
        .lastInsertRowid,
    append: (id, chunks) =>
      sql.transaction(() => {
        for (const { clientId, json } of chunks) {
          sql.run('INSERT INTO checkpoint_chunks (checkpoint_id, client_id, json) VALUES (?, ?, ?)', [
            ...[id, clientId],
            packJson(json),
          ]);
        }
      }),
    complete(id) {
      sql.run('UPDATE checkpoints SET complete = 1 WHERE id = ?', [id]);
    },
    seqOf: (id) => sql.number('SELECT seq AS n FROM checkpoints WHERE id = ?', [id]) ?? 0,
    highestSeq: () => sql.number('SELECT max(seq) AS n FROM checkpoints') ?? 0,
    read(id, afterChunk, limit, clientId) {
      // For all clients, the unary plus prevents SQLite from using the index of clients, with which it would
      // sort all remaining chunks for every page.
      const isOfClient = clientId !== undefined;
      const rows = sql.all<{ id: number; json: SqlText }>(
        `SELECT id, json FROM checkpoint_chunks
           WHERE ${isOfClient ? 'checkpoint_id = ? AND client_id = ?' : '+checkpoint_id = ?'} AND id > ?
           ORDER BY id LIMIT ?`,
        [id, ...(isOfClient ? [clientId] : []), afterChunk, limit],
      );
      const last = rows.length === limit ? rows.at(-1) : undefined;
      return { chunks: rows.map(({ json }) => unpackJson(json)), next: last?.id ?? null };
    },
    deleteStale: (limit) =>
      sql.transaction(() => {
        const stale = sql.number('SELECT id AS n FROM checkpoints WHERE id IS NOT ? ORDER BY id LIMIT 1', [
          newest()?.id ?? null,
        ]);
        if (stale === null) return false;
        const { changes } = sql.run(
          `DELETE FROM checkpoint_chunks WHERE id IN
             (SELECT id FROM checkpoint_chunks WHERE checkpoint_id = ? LIMIT ?)`,
          [stale, limit],
        );
        if (changes < limit) sql.run('DELETE FROM checkpoints WHERE id = ?', [stale]);
        return true;
      }),
  };
}
