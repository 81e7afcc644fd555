import { deflateSync, inflateRawSync, inflateSync } from 'node:zlib';
import { bytesOf, type SqlText } from './sql-file';

/** How bytes of one body are kept in files of version 2. The numbers are stored: never change their meaning. */
const encodings = { plain: 0, deflated: 1 } as const;

/** Level 1 is three times as fast as the default, for about a tenth more bytes on protobuf and JSON. */
const level = 1;

/** Of zlib's header. What zlib deflates without a header never begins so. */
const zlibMark = 0x78;

/** Everything that the file holds deflated is deflated so. zlib's checksum is the only one: SQLite has none of its pages. */
export function deflateBytes(bytes: string | Uint8Array): Uint8Array {
  return deflateSync(bytes, { level });
}

/** Older versions wrote no header and no checksum. Throws zlib's errors when the bytes are damaged. */
export function inflateBytes(column: ArrayBuffer | Uint8Array): Buffer {
  const bytes = bytesOf(column);
  return bytes[0] === zlibMark ? inflateSync(bytes) : inflateRawSync(bytes);
}

export function unpackBytes(encoding: number, bytes: Uint8Array): Uint8Array {
  return encoding === encodings.deflated ? inflateBytes(bytes) : bytes;
}

/** JSON in one column: short as text, so that any SQLite tool reads it; long as deflated UTF-8 in a blob. */
export function packJson(json: string): string | Uint8Array {
  return json.length < 1024 ? json : deflateBytes(json);
}

export function unpackJson(column: SqlText): string {
  return typeof column === 'string' ? column : inflateBytes(column).toString('utf8');
}
