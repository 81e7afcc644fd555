import type { SqlFile, SqlValue } from '../database/sql-file';
import type { BroughtBody, WriteBatch } from '../writer/batch-builder';
import { BodyPacker, byKind } from './body-packs';
import { type BodyTouches, leaseFrom } from './body-touches';

/** Rows of one statement: one by one, calling SQLite cost more than what it does. */
const rowsAtOnce = 64;

/**
 * Stores the bodies that came with a batch and are not there yet. Returns how many. MUTATES `named`: those that were
 * there are named again. What `touches` learns holds as in touchBodies().
 */
export function insertBodies(
  sql: SqlFile,
  touches: BodyTouches,
  named: Map<string, number>,
  { bodies, bodyBytes }: WriteBatch,
): number {
  if (bodies.length === 0) return 0;
  const known = findKnown(sql, bodies);
  const packer = new BodyPacker(sql);
  const rows: SqlValue[][] = [];
  for (const body of [...bodies].sort(byKind)) {
    const { hash, typeUrl, seq, from, to } = body;
    const key = keyOf(body);
    if (known.has(key)) {
      named.set(hash, Math.max(seq, named.get(hash) ?? 0));
      continue;
    }
    known.add(key);
    const place = packer.add(bodyBytes.subarray(from, to));
    const keptUntil = leaseFrom(seq);
    touches.set(hash, keptUntil);
    rows.push([hash, typeUrl, to - from, keptUntil, place.packId, place.from]);
  }
  packer.finish();
  let inserted = 0;
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    inserted += insertRows(sql, rows.slice(from, from + rowsAtOnce));
  }
  return inserted;
}

function insertRows(sql: SqlFile, rows: readonly (readonly SqlValue[])[]): number {
  if (rows.length === rowsAtOnce) return sql.run(insertMany, rows.flat()).changes;
  // Each length of its own would be a statement to keep.
  return rows.reduce((sum, row) => sum + sql.run(insertOne, row).changes, 0);
}

function insertText(rows: number): string {
  const values = new Array<string>(rows).fill('(?, ?, ?, ?, ?, ?)').join(', ');
  return `INSERT INTO bodies (hash, type_url, size, last_seq, pack_id, pack_from) VALUES ${values}
            ON CONFLICT (hash, type_url) DO NOTHING`;
}

const insertOne = insertText(1);
const insertMany = insertText(rowsAtOnce);

function findKnown(sql: SqlFile, bodies: readonly BroughtBody[]): Set<string> {
  const found = sql.all<Pick<BroughtBody, 'hash' | 'typeUrl'>>(
    'SELECT hash, type_url AS typeUrl FROM bodies WHERE hash IN (SELECT value FROM json_each(?))',
    [JSON.stringify(bodies.map(({ hash }) => hash))],
  );
  return new Set(found.map(keyOf));
}

function keyOf({ hash, typeUrl }: Pick<BroughtBody, 'hash' | 'typeUrl'>): string {
  return `${hash} ${typeUrl}`;
}
