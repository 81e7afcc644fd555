import { textAt } from './text-at';
import { WireCursor } from './wire-cursor';

/** Empty if it is longer than 100 bytes. */
export function shortText({ bytes, valueStart, fieldEnd }: WireCursor): string {
  return fieldEnd - valueStart > 100 ? '' : textAt(bytes, valueStart, fieldEnd);
}

/** Has a Struct an entry of this name? */
export function findEntry(bytes: Uint8Array, start: number, end: number, name: string): boolean {
  const cursor = new WireCursor(bytes, start, end);
  while (cursor.next()) {
    const isEntry = cursor.number === 1 && cursor.wireType === 2;
    if (isEntry && findText(bytes, cursor.valueStart, cursor.fieldEnd, 1) === name) return true;
  }
  return false;
}

/** The last string with this field number, as protobuf's decoders take it; '' when there is none. */
export function findText(bytes: Uint8Array, start: number, end: number, fieldNumber: number): string {
  const cursor = new WireCursor(bytes, start, end);
  let text = '';
  while (cursor.next()) {
    if (cursor.number !== fieldNumber || cursor.wireType !== 2) continue;
    text = textAt(bytes, cursor.valueStart, cursor.fieldEnd);
  }
  return text;
}
