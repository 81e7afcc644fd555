import type { SnapshotStore, StoredSnapshot } from '../storage/state-stores';
import { packJson, type SqlFile, type SqlText, type SqlValue, textOf, unpackJson } from './sql-file';

type SnapshotRow = Omit<StoredSnapshot, 'json'> & { readonly json: SqlText };

export function sqliteSnapshots(sql: SqlFile): SnapshotStore {
  const select = (where: string, values: readonly SqlValue[]): StoredSnapshot[] =>
    sql
      .all<SnapshotRow>(`SELECT id, seq, begins_at AS beginsAt, json FROM snapshots WHERE ${where}`, values)
      .map((row) => ({ ...row, json: unpackJson(row.json) }));
  return {
    find: (clientId, seq, back = 0) =>
      select('client_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1 OFFSET ?', [clientId, seq, back])[0],
    findAround: (clientId, seq) =>
      select(
        `client_id = ? AND seq >=
           coalesce((SELECT max(seq) FROM snapshots WHERE client_id = ? AND seq < ?), 0) ORDER BY seq LIMIT 3`,
        [clientId, clientId, seq],
      ),
    seqsUntil: (clientId, seq) =>
      sql
        .all<{ seq: number }>('SELECT seq FROM snapshots WHERE client_id = ? AND seq <= ? ORDER BY seq', [
          clientId,
          seq,
        ])
        .map((row) => row.seq),
    newestSeqs: () =>
      new Map(
        sql
          .all<{ clientId: SqlText; seq: number }>(
            'SELECT client_id AS clientId, max(seq) AS seq FROM snapshots GROUP BY client_id',
          )
          .map(({ clientId, seq }) => [textOf(clientId), seq]),
      ),
    save: (clientId, snapshot) =>
      sql.transaction(() => {
        const { seq, beginsAt, json } = snapshot;
        sql.run('DELETE FROM snapshots WHERE client_id = ? AND seq = ?', [clientId, seq]);
        const { lastInsertRowid: id } = sql.run(
          'INSERT INTO snapshots (client_id, seq, begins_at, json) VALUES (?, ?, ?, ?)',
          [clientId, seq, beginsAt, packJson(json)],
        );
        return { id, ...snapshot };
      }),
    setKeptUntil(id, seq) {
      sql.run('UPDATE snapshots SET kept_until = ? WHERE id = ?', [seq, id]);
    },
    clientsKeptUntil: (seq) =>
      sql
        .all<{ clientId: SqlText }>(
          'SELECT DISTINCT client_id AS clientId FROM snapshots WHERE seq <= ? AND kept_until <= ?',
          [seq, seq],
        )
        .map(({ clientId }) => textOf(clientId)),
    delete(id) {
      sql.run('DELETE FROM snapshots WHERE id = ?', [id]);
    },
  };
}
