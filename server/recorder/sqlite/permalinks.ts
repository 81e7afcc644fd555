import type { PermalinkStore } from '../storage/state-stores';
import { packJson, type SqlFile, type SqlText, unpackJson } from './sql-file';

export function sqlitePermalinks(sql: SqlFile): PermalinkStore {
  return {
    totals: () => ({
      count: sql.number('SELECT count(*) AS n FROM permalinks') ?? 0,
      sizeBytes: sql.number('SELECT sum(length(content)) AS n FROM permalinks') ?? 0,
    }),
    save: ({ id, createdAt, json }, hashes) =>
      sql.transaction(() => {
        const content = packJson(json);
        sql.run('INSERT INTO permalinks (id, created_at, content) VALUES (?, ?, ?)', [
          id,
          createdAt,
          content,
        ]);
        for (const hash of hashes) {
          sql.run('INSERT OR IGNORE INTO permalink_bodies (hash, permalink_id) VALUES (?, ?)', [hash, id]);
        }
        return Buffer.byteLength(content);
      }),
    read(id) {
      const row = sql.first<{ createdAt: number; content: SqlText }>(
        'SELECT created_at AS createdAt, content FROM permalinks WHERE id = ?',
        [id],
      );
      return row && { id, createdAt: row.createdAt, json: unpackJson(row.content) };
    },
  };
}
