import type protobuf from 'protobufjs';
import { messageTypesBelow } from './message-types';

const previousName = '(udpa.annotations.versioning).previous_message_type';

/**
 * Message types of the v2 API (v2alpha and the unversioned ones of its time included) by full name, with the v3 types
 * that say that they came from them. Field numbers are the same in both, so that the bytes of the one read as the
 * other; what v3 dropped is unknown there.
 */
export function buildV2Twins(root: protobuf.Root): ReadonlyMap<string, protobuf.Type> {
  const twins = new Map<string, protobuf.Type>();
  for (const type of messageTypesBelow(root)) {
    const previous: unknown = type.options?.[previousName];
    // Some messages came from another of v3.
    if (typeof previous === 'string' && !/\.v3\./.test(previous)) twins.set(previous, type);
  }
  return twins;
}
