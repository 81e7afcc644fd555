import { WireCursor, type WireSpan } from './wire-cursor';

/** A range of bytes as text; invalid UTF-8 is replaced by U+FFFD. Creates no view of a Buffer. */
export function textAt(bytes: Uint8Array, start: number, end: number): string {
  if (bytes instanceof Buffer) return bytes.toString(undefined, start, end);
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

/** Empty if the value is longer than 100 bytes. */
export function shortText({ bytes, valueStart, fieldEnd }: WireSpan): string {
  return fieldEnd - valueStart > 100 ? '' : textAt(bytes, valueStart, fieldEnd);
}

/** Does a google.protobuf.Struct have an entry of this name? */
export function findEntry(struct: WireSpan, name: string): boolean {
  const cursor = WireCursor.within(struct);
  while (cursor.next()) {
    if (cursor.number === 1 && cursor.wireType === 2 && findText(cursor, 1) === name) return true;
  }
  return false;
}

/** The last string with this field number, as protobuf decoders read it; empty if there is none. */
export function findText(message: WireSpan, fieldNumber: number): string {
  const cursor = WireCursor.within(message);
  let text = '';
  while (cursor.next()) {
    if (cursor.number !== fieldNumber || cursor.wireType !== 2) continue;
    text = textAt(cursor.bytes, cursor.valueStart, cursor.fieldEnd);
  }
  return text;
}
