import { WireCursor } from '../wire-cursor';

/** A field to write back as it was, and the known field that it stood before (0: at the end). */
export interface PlacedField {
  readonly raw: Uint8Array;
  readonly before: number;
}

/** `known`: fields as an encoder writes them. */
export function spliceFields(known: Uint8Array, fields: readonly PlacedField[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const waiting = [...fields];
  let copiedTo = 0;
  const cursor = new WireCursor(known);
  while (cursor.next()) {
    const { number, fieldStart } = cursor;
    if (!waiting.some(({ before }) => before === number)) continue;
    parts.push(known.subarray(copiedTo, fieldStart));
    copiedTo = fieldStart;
    for (let index = 0; index < waiting.length; ) {
      const field = waiting[index];
      if (field?.before !== number) index++;
      else parts.push(...waiting.splice(index, 1).map(({ raw }) => raw));
    }
  }
  parts.push(known.subarray(copiedTo), ...waiting.map(({ raw }) => raw));
  return Buffer.concat(parts);
}
