import type { Pin, PinStore } from '../storage/state-stores';
import { type SqlFile, type SqlText, textOf } from './sql-file';

interface PinRow extends Omit<Pin, 'clientId' | 'label'> {
  readonly clientId: SqlText | null;
  readonly label: SqlText;
}

export function sqlitePins(sql: SqlFile): PinStore {
  return {
    list: () =>
      sql
        .all<PinRow>(
          `SELECT id, from_at AS "from", to_at AS "to", client_id AS clientId, label, created_at AS createdAt
             FROM pins ORDER BY from_at, id`,
        )
        .map((row) => ({
          ...row,
          clientId: row.clientId === null ? null : textOf(row.clientId),
          label: textOf(row.label),
        })),
    add(pin) {
      const { from, to, clientId, label, createdAt } = pin;
      const { lastInsertRowid: id } = sql.run(
        'INSERT INTO pins (from_at, to_at, client_id, label, created_at) VALUES (?, ?, ?, ?, ?)',
        [from, to, clientId, label, createdAt],
      );
      return { id, ...pin };
    },
    remove: (id) => sql.run('DELETE FROM pins WHERE id = ?', [id]).changes > 0,
    pinBlock: (firstSeq, hashes) =>
      sql.transaction(() => {
        sql.run('UPDATE blocks SET pinned = 1 WHERE first_seq = ?', [firstSeq]);
        for (const hash of hashes) {
          sql.run('INSERT OR IGNORE INTO pinned_bodies (hash, first_seq) VALUES (?, ?)', [hash, firstSeq]);
        }
      }),
    releaseBlock: (firstSeq) =>
      sql.transaction(() => {
        sql.run('UPDATE blocks SET pinned = 0 WHERE first_seq = ?', [firstSeq]);
        sql.run('DELETE FROM pinned_bodies WHERE first_seq = ?', [firstSeq]);
      }),
  };
}
