import { packJson, unpackJson } from '../bodies/packing';
import type { SqlFile, SqlText } from '../database/sql-file';

export interface StoredPermalink {
  readonly id: string;
  readonly createdAt: number;
  readonly json: string;
}

/** From here on the bodies are exempt from retention. */
export function savePermalink(sql: SqlFile, permalink: StoredPermalink, hashes: readonly string[]): void {
  sql.transaction(() => {
    sql.run('INSERT INTO permalinks (id, created_at, content) VALUES (?, ?, ?)', [
      permalink.id,
      permalink.createdAt,
      packJson(permalink.json),
    ]);
    for (const hash of hashes) {
      sql.run('INSERT OR IGNORE INTO permalink_bodies (hash, permalink_id) VALUES (?, ?)', [
        hash,
        permalink.id,
      ]);
    }
  });
}

export function readPermalink(sql: SqlFile, id: string): StoredPermalink | undefined {
  const row = sql.first<{ createdAt: number; content: SqlText }>(
    'SELECT created_at AS createdAt, content FROM permalinks WHERE id = ?',
    [id],
  );
  return row && { id, createdAt: row.createdAt, json: unpackJson(row.content) };
}
