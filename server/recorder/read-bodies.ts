import type { Body } from '@/server/observe';
import { readPack } from './body-packs';
import { unpackBytes } from './packing';
import { bytesOf, type SqlFile } from './sql-file';

interface BodyRow {
  hash: string;
  /** As a blob: read as text, libsql ends a string at its first NUL, and type URLs come from outside. */
  typeUrl: ArrayBuffer;
  size: number;
  packId: number | null;
  packFrom: number;
  /** Of a body that is in no pack. */
  encoding: number;
  bytes: ArrayBuffer;
}

const columns = `
  SELECT b.hash AS hash, CAST(b.type_url AS BLOB) AS typeUrl, b.size AS size, b.pack_id AS packId,
    b.pack_from AS packFrom, y.encoding AS encoding, y.bytes AS bytes
  FROM bodies b LEFT JOIN body_bytes y ON y.body_id = b.id AND b.pack_id IS NULL`;

/** The same bytes may be known under several type URLs; without one, any of them will do. */
export function readBody(sql: SqlFile, hash: string, typeUrl: string | undefined): Body | undefined {
  const row =
    typeUrl === undefined
      ? sql.first<BodyRow>(`${columns} WHERE b.hash = ? ORDER BY b.id LIMIT 1`, [hash])
      : sql.first<BodyRow>(`${columns} WHERE b.hash = ? AND b.type_url = ?`, [hash, typeUrl]);
  return row && bodyOf(row, (id) => readPack(sql, id));
}

/** At most one body per hash; unknown hashes are left out. */
export function readBodies(sql: SqlFile, hashes: readonly string[]): Body[] {
  const rows = sql.all<BodyRow>(
    `${columns} WHERE b.id IN
       (SELECT min(id) FROM bodies WHERE hash IN (SELECT value FROM json_each(?)) GROUP BY hash)`,
    [JSON.stringify(hashes)],
  );
  // Those of one pack come one after the other.
  rows.sort((a, b) => (a.packId ?? 0) - (b.packId ?? 0));
  let newest: { readonly id: number; readonly bytes: Buffer } | undefined;
  return rows.map((row) =>
    bodyOf(row, (id) => {
      if (newest?.id !== id) newest = { id, bytes: readPack(sql, id) };
      return newest.bytes;
    }),
  );
}

function bodyOf(row: BodyRow, packOf: (id: number) => Uint8Array): Body {
  const { hash, typeUrl, size, packId, packFrom, encoding, bytes } = row;
  const stored =
    packId === null
      ? unpackBytes(encoding, bytesOf(bytes))
      : packOf(packId).subarray(packFrom, packFrom + size);
  return { hash, typeUrl: bytesOf(typeUrl).toString('utf8'), bytes: new Uint8Array(stored) };
}
