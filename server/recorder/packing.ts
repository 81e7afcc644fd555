import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { bytesOf, type SqlText } from './sql-file';

/** How bytes of one body are kept in files of version 2. The numbers are stored: never change their meaning. */
const encodings = { plain: 0, deflated: 1 } as const;

/** Level 1 is three times as fast as the default, for about a tenth more bytes on protobuf and JSON. */
const level = 1;

/** Everything that the file holds deflated is deflated so. */
export function deflateBytes(bytes: string | Uint8Array): Uint8Array {
  return deflateRawSync(bytes, { level });
}

export function inflateBytes(column: ArrayBuffer | Uint8Array): Buffer {
  return inflateRawSync(bytesOf(column));
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
