import { decodeRows, type EncodedRows, encodeRows, packRows, unpackRows } from '../blocks/encoded-rows';
import type { LogRow } from '../blocks/log-row';
import { deflateBytes, inflateBytes } from '../bodies/packing';
import type { SqlFile } from '../database/sql-file';

// The newest observations, too few for a block, as they came: each batch is one row of `waiting`.

/** Inside a transaction. */
export function insertWaiting(sql: SqlFile, encoded: EncodedRows): void {
  const first = encoded.seqs[0];
  if (first === undefined) return;
  sql.run('INSERT INTO waiting (first_seq, bytes) VALUES (?, ?)', [first, deflateBytes(packRows(encoded))]);
}

/** By seq. */
export function readWaiting(sql: SqlFile): LogRow[] {
  return sql
    .all<{ bytes: ArrayBuffer }>('SELECT bytes FROM waiting ORDER BY first_seq')
    .flatMap(({ bytes }) => [...decodeRows(unpackRows(inflateBytes(bytes)))]);
}

/** Instead of all that wait. Inside a transaction. */
export function replaceWaiting(sql: SqlFile, rows: readonly LogRow[]): void {
  sql.run('DELETE FROM waiting');
  insertWaiting(sql, encodeRows(rows));
}
