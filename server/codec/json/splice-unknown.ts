import type protobuf from 'protobufjs';
import { WireCursor } from '../wire-cursor';

/** A field to write back as it was, and the known field that it stood before (0: at the end). */
export interface PlacedField {
  readonly raw: Uint8Array;
  readonly before: number;
}

/**
 * A message with fields that its type does not have, ready for type.encode: at the end, where most encoders put
 * them, or before the known fields that they stood before. Throws what type.encode throws.
 */
export function spliceUnknown(
  type: protobuf.Type,
  message: Record<string, unknown>,
  fields: readonly PlacedField[],
): Record<string, unknown> {
  if (fields.every(({ before }) => before === 0)) {
    return { ...message, $unknowns: fields.map(({ raw }) => raw) };
  }
  const known = type.encode(message).finish();
  const parts: Uint8Array[] = [];
  const waiting = [...fields];
  let copiedTo = 0;
  const cursor = new WireCursor(known, 0, known.length);
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
  // protobufjs writes what it has kept of a message as it is: here that is all of it.
  return { $unknowns: [Buffer.concat(parts)] };
}
