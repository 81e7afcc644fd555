import { undecodable } from '../damaged-file';
import type { BlockMeta, BlockStore, ChunkStore } from '../storage/immutable-stores';
import { bytesOf, type SqlFile, type SqlText, textOf } from './sql-file';

const partsPerBlock = 4096;

function partId(firstSeq: number, part: number): number {
  return firstSeq * partsPerBlock + part;
}

export function sqliteBlocks(sql: SqlFile): BlockStore {
  const deleteParts = 'DELETE FROM block_parts WHERE id >= ? AND id < ?';
  return {
    list: () =>
      sql
        .all<Omit<BlockMeta, 'isPinned'> & { pinned: number }>(
          `SELECT first_seq AS firstSeq, last_seq AS lastSeq, count, from_at AS fromAt, to_at AS toAt, kinds, pinned
             FROM blocks ORDER BY first_seq`,
        )
        .map(({ pinned, ...meta }) => ({ ...meta, isPinned: pinned !== 0 })),
    append: ({ meta: { firstSeq, lastSeq, count, fromAt, toAt, kinds }, partCounts, pieces, parts }) =>
      sql.transaction(() => {
        const { columns, terms, hashes, churn, vocabulary } = pieces;
        sql.run('INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, 0)', [
          ...[firstSeq, lastSeq, count, fromAt, toAt, kinds],
        ]);
        sql.run(
          `INSERT INTO block_index (first_seq, parts, columns, terms, hashes, churn, vocabulary)
             VALUES (?, ?, ?, ?, ?, ?, ?)`,
          [firstSeq, JSON.stringify(partCounts), columns, terms, hashes, churn, vocabulary],
        );
        for (const [part, bytes] of parts.entries()) {
          sql.run('INSERT INTO block_parts VALUES (?, ?)', [partId(firstSeq, part), bytes]);
        }
      }),
    delete: (firstSeq) =>
      sql.transaction(() => {
        sql.run('DELETE FROM blocks WHERE first_seq = ?', [firstSeq]);
        sql.run('DELETE FROM block_index WHERE first_seq = ?', [firstSeq]);
        sql.run(deleteParts, [partId(firstSeq, 0), partId(firstSeq + 1, 0)]);
      }),
    readColumns(firstSeq) {
      const row = sql.first<{ parts: SqlText; columns: ArrayBuffer; termsBytes: number }>(
        'SELECT parts, columns, length(terms) AS termsBytes FROM block_index WHERE first_seq = ?',
        [firstSeq],
      );
      if (!row) throw undecodable(`block ${firstSeq} has no columns`);
      const { parts, columns, termsBytes } = row;
      return { partCounts: JSON.parse(textOf(parts)), columns: bytesOf(columns), termsBytes };
    },
    readPiece(firstSeq, piece) {
      const row = sql.first<{ bytes: ArrayBuffer }>(
        `SELECT ${piece} AS bytes FROM block_index WHERE first_seq = ?`,
        [firstSeq],
      );
      if (!row) throw undecodable(`block ${firstSeq} has no ${piece}`);
      return bytesOf(row.bytes);
    },
    readPart(firstSeq, part) {
      const row = sql.first<{ bytes: ArrayBuffer }>('SELECT bytes FROM block_parts WHERE id = ?', [
        partId(firstSeq, part),
      ]);
      if (!row) throw undecodable(`block ${firstSeq} has no part ${part}`);
      return bytesOf(row.bytes);
    },
    readWaiting: () =>
      sql
        .all<{ bytes: ArrayBuffer }>('SELECT bytes FROM waiting ORDER BY first_seq')
        .map(({ bytes }) => bytesOf(bytes)),
    appendWaiting(firstSeq, batch) {
      sql.run('INSERT INTO waiting (first_seq, bytes) VALUES (?, ?)', [firstSeq, batch]);
    },
    deleteWaiting() {
      sql.run('DELETE FROM waiting');
    },
  };
}

export function sqliteChunks(sql: SqlFile): ChunkStore {
  return {
    append: (bytes) => sql.run('INSERT INTO snapshot_chunks (bytes) VALUES (?)', [bytes]).lastInsertRowid,
    read(id) {
      const row = sql.first<{ bytes: ArrayBuffer }>('SELECT bytes FROM snapshot_chunks WHERE id = ?', [id]);
      return row && bytesOf(row.bytes);
    },
    delete: (ids) =>
      sql.transaction(() => {
        for (const id of ids) sql.run('DELETE FROM snapshot_chunks WHERE id = ?', [id]);
      }),
  };
}
