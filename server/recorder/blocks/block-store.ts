import { deflateBytes } from '../bodies/packing';
import type { SqlFile } from '../database/sql-file';
import type { BlockDraft } from './block-builder';
import type { BlockMeta } from './block-meta';

const partsPerBlock = 4096;

/** Of a part of a block's rows, in block_parts. */
export function partId(firstSeq: number, part: number): number {
  return firstSeq * partsPerBlock + part;
}

/** Inside a transaction. */
export function insertBlock(sql: SqlFile, draft: BlockDraft): BlockMeta {
  const { firstSeq, lastSeq, count, fromAt, toAt, kinds } = draft.meta;
  const [columns, terms, churn, vocabulary, ...parts] = draft.pieces.map(deflateBytes);
  sql.run('INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, 0)', [firstSeq, lastSeq, count, fromAt, toAt, kinds]);
  sql.run(
    `INSERT INTO block_index (first_seq, parts, columns, terms, hashes, churn, vocabulary)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [
      firstSeq,
      JSON.stringify(draft.partCounts),
      columns ?? null,
      terms ?? null,
      draft.hashes,
      churn ?? null,
      vocabulary ?? null,
    ],
  );
  for (const [part, bytes] of parts.entries()) {
    sql.run('INSERT INTO block_parts VALUES (?, ?)', [partId(firstSeq, part), bytes]);
  }
  return { ...draft.meta, isPinned: false };
}

/** Inside a transaction. */
export function deleteBlock(sql: SqlFile, { firstSeq }: BlockMeta): void {
  sql.run('DELETE FROM blocks WHERE first_seq = ?', [firstSeq]);
  sql.run('DELETE FROM block_index WHERE first_seq = ?', [firstSeq]);
  sql.run('DELETE FROM block_parts WHERE id >= ? AND id < ?', [partId(firstSeq, 0), partId(firstSeq + 1, 0)]);
}
