import type protobuf from 'protobufjs';
import { encodeVarint, WireCursor } from '../wire-cursor';
import { type EntryUnknown, type PlacedField, readEntryKey } from './map-entry-unknown';
import { planOf } from './type-plan';

/**
 * Adds fields that its type does not declare to a message for type.encode(): before the known fields that followed them
 * or, like most encoders, at the end; and in the entries of its maps. Throws what type.encode() throws.
 */
export function spliceUnknown(
  type: protobuf.Type,
  message: Record<string, unknown>,
  fields: readonly PlacedField[],
  entries: readonly EntryUnknown[] = [],
): Record<string, unknown> {
  if (entries.length === 0 && fields.every(({ before }) => before === 0)) {
    return { ...message, $unknowns: fields.map(({ raw }) => raw) };
  }
  const known = spliceEntries(type, type.encode(message).finish(), entries);
  // protobufjs writes kept fields unchanged; here, they are the whole message.
  return { $unknowns: [spliceFields(known, fields)] };
}

/** `known` is an encoded message. Fields of entries that it lacks are left out. */
function spliceEntries(type: protobuf.Type, known: Uint8Array, entries: readonly EntryUnknown[]): Uint8Array {
  if (entries.length === 0) return known;
  const { byNumber } = planOf(type);
  const wanted = new Map<string, PlacedField[]>();
  for (const { field, key, kept } of entries) {
    const id = `${field} ${key}`;
    wanted.set(id, [...(wanted.get(id) ?? []), ...kept]);
  }
  const parts: Uint8Array[] = [];
  const cursor = new WireCursor(known);
  while (cursor.next()) {
    const { number, fieldStart, fieldEnd, valueStart } = cursor;
    const keyType = byNumber.get(number)?.keyType ?? '';
    const entry = known.subarray(valueStart, fieldEnd);
    const kept = keyType === '' ? undefined : wanted.get(`${number} ${readEntryKey(entry, keyType)}`);
    if (kept === undefined) parts.push(known.subarray(fieldStart, fieldEnd));
    else {
      const whole = spliceFields(entry, kept);
      parts.push(encodeVarint(number * 8 + 2), encodeVarint(whole.length), whole);
    }
  }
  return Buffer.concat(parts);
}

function spliceFields(known: Uint8Array, fields: readonly PlacedField[]): Uint8Array {
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
