import type { Body } from '@/server/observe';
import { bytesOf, type SqlFile } from '../database/sql-file';
import { readPack } from './body-packs';

interface BodyRow {
  hash: string;
  /** As a blob: read as text, libsql ends a string at its first NUL, and type URLs come from outside. */
  typeUrl: ArrayBuffer;
  size: number;
  packId: number;
  packFrom: number;
}

const columns = `
  SELECT hash, CAST(type_url AS BLOB) AS typeUrl, size, pack_id AS packId, pack_from AS packFrom FROM bodies`;

/** The same bytes may be known under several type URLs; without one, any of them will do. */
export function readBody(sql: SqlFile, hash: string, typeUrl: string | undefined): Body | undefined {
  const row =
    typeUrl === undefined
      ? sql.first<BodyRow>(`${columns} WHERE hash = ? ORDER BY id LIMIT 1`, [hash])
      : sql.first<BodyRow>(`${columns} WHERE hash = ? AND type_url = ?`, [hash, typeUrl]);
  return row && bodyOf(row, (id) => readPack(sql, id));
}

/** At most one body per hash; unknown hashes are left out. */
export function readBodies(sql: SqlFile, hashes: readonly string[]): Body[] {
  const rows = sql.all<BodyRow>(
    `${columns} WHERE id IN
       (SELECT min(id) FROM bodies WHERE hash IN (SELECT value FROM json_each(?)) GROUP BY hash)`,
    [JSON.stringify(hashes)],
  );
  // Those of one pack come one after the other.
  rows.sort((a, b) => a.packId - b.packId);
  let newest: { readonly id: number; readonly bytes: Buffer } | undefined;
  return rows.map((row) =>
    bodyOf(row, (id) => {
      if (newest?.id !== id) newest = { id, bytes: readPack(sql, id) };
      return newest.bytes;
    }),
  );
}

function bodyOf({ hash, typeUrl, size, packId, packFrom }: BodyRow, packOf: (id: number) => Buffer): Body {
  const stored = packOf(packId).subarray(packFrom, packFrom + size);
  return { hash, typeUrl: bytesOf(typeUrl).toString('utf8'), bytes: new Uint8Array(stored) };
}
