import { deflateSync, inflateSync } from 'node:zlib';
import { bytesOf, type SqlText } from '../database/sql-file';

/** Level 1 is three times as fast as the default, for about a tenth more bytes on protobuf and JSON. */
const level = 1;

/** Everything that the file holds deflated is deflated so. zlib's checksum is the only one: SQLite has none of its pages. */
export function deflateBytes(bytes: string | Uint8Array): Uint8Array {
  return deflateSync(bytes, { level });
}

/** Throws zlib's errors when the bytes are damaged. */
export function inflateBytes(column: ArrayBuffer | Uint8Array): Buffer {
  return inflateSync(bytesOf(column));
}

/** JSON in one column: short as text, so that any SQLite tool reads it; long as deflated UTF-8 in a blob. */
export function packJson(json: string): string | Uint8Array {
  return json.length < 1024 ? json : deflateBytes(json);
}

export function unpackJson(column: SqlText): string {
  return typeof column === 'string' ? column : inflateBytes(column).toString('utf8');
}
