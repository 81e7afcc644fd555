import type { Body } from '@/server/observe';
import { unpackBytes } from './packing';
import { bytesOf, type SqlFile } from './sql-file';

interface BodyRow {
  hash: string;
  /** As a blob: read as text, libsql ends a string at its first NUL, and type URLs come from outside. */
  typeUrl: ArrayBuffer;
  encoding: number;
  bytes: ArrayBuffer;
}

const columns = `
  SELECT b.hash AS hash, CAST(b.type_url AS BLOB) AS typeUrl, y.encoding AS encoding, y.bytes AS bytes
  FROM bodies b JOIN body_bytes y ON y.body_id = b.id`;

/** The same bytes may be known under several type URLs; without one, any of them will do. */
export function readBody(sql: SqlFile, hash: string, typeUrl: string | undefined): Body | undefined {
  const row =
    typeUrl === undefined
      ? sql.first<BodyRow>(`${columns} WHERE b.hash = ? ORDER BY b.id LIMIT 1`, [hash])
      : sql.first<BodyRow>(`${columns} WHERE b.hash = ? AND b.type_url = ?`, [hash, typeUrl]);
  return row && bodyOf(row);
}

/** At most one body per hash; unknown hashes are left out. */
export function readBodies(sql: SqlFile, hashes: readonly string[]): Body[] {
  const rows = sql.all<BodyRow>(
    `${columns} WHERE b.id IN
       (SELECT min(id) FROM bodies WHERE hash IN (SELECT value FROM json_each(?)) GROUP BY hash)`,
    [JSON.stringify(hashes)],
  );
  return rows.map(bodyOf);
}

function bodyOf({ hash, typeUrl, encoding, bytes }: BodyRow): Body {
  return {
    hash,
    typeUrl: bytesOf(typeUrl).toString('utf8'),
    bytes: new Uint8Array(unpackBytes(encoding, bytesOf(bytes))),
  };
}
