import { WireCursor, type WireSpan } from './wire-cursor';

/** Returns a range of bytes as text; invalid UTF-8 is replaced by U+FFFD. It creates no view of a Buffer. */
export function textAt(bytes: Uint8Array, start: number, end: number): string {
  if (bytes instanceof Buffer) return bytes.toString(undefined, start, end);
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

/** Returns an empty text if the value is longer than 100 bytes. */
export function shortText({ bytes, valueStart, fieldEnd }: WireSpan): string {
  return fieldEnd - valueStart > 100 ? '' : textAt(bytes, valueStart, fieldEnd);
}

/** Returns whether a google.protobuf.Struct has an entry of this name. */
export function findEntry(struct: WireSpan, name: string): boolean {
  const cursor = WireCursor.within(struct);
  while (cursor.next()) {
    if (cursor.number === 1 && cursor.wireType === 2 && findText(cursor, 1) === name) return true;
  }
  return false;
}

/** Returns the last string with this field number, as protobuf decoders do; empty if there is none. */
export function findText(message: WireSpan, fieldNumber: number): string {
  const cursor = WireCursor.within(message);
  let text = '';
  while (cursor.next()) {
    if (cursor.number !== fieldNumber || cursor.wireType !== 2) continue;
    text = textAt(cursor.bytes, cursor.valueStart, cursor.fieldEnd);
  }
  return text;
}
