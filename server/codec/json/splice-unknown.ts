import type protobuf from 'protobufjs';
import { type EntryUnknown, spliceEntries } from './map-entry-unknown';
import { type PlacedField, spliceFields } from './splice-fields';

/**
 * A message with fields that its type does not have, ready for type.encode: at the end, where most encoders put
 * them, or before the known fields that they stood before; and with those in entries of its maps. Throws what
 * type.encode throws.
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
  // protobufjs writes what it has kept of a message as it is: here that is all of it.
  return { $unknowns: [spliceFields(known, fields)] };
}
