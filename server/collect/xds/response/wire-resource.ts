import { messageOf } from '@/lib/format/message-of';
import { messageType } from '../../../codec/root';
import { WireCursor } from '../../../codec/wire-cursor';
import { textAt } from '../../../codec/wire-text';
import type { AnyFields, WrapperFields } from './response-envelope';

type Fields = AnyFields & WrapperFields;

export function readWrapperFields(bytes: Uint8Array): Fields {
  try {
    return messageType('envoy.service.discovery.v3.Resource').decode(bytes) as WrapperFields;
  } catch (error) {
    const reason = messageOf(error);
    return { unreadable: { name: null, reason: `the wrapping Resource does not decode: ${reason}` } };
  }
}

/** Reads a google.protobuf.Any {type_url 1, value 2}. The value is a view of the message. */
export function readAnyFields(message: Buffer, start: number, end: number): AnyFields {
  const cursor = new WireCursor(message, start, end);
  let typeUrl: string | undefined;
  let value: Uint8Array | undefined;
  while (cursor.next() && cursor.missingBytes === 0) {
    if (cursor.wireType !== 2) continue;
    if (cursor.number === 1) typeUrl = textAt(message, cursor.valueStart, cursor.fieldEnd);
    if (cursor.number === 2) value = message.subarray(cursor.valueStart, cursor.fieldEnd);
  }
  if (!cursor.malformed && cursor.missingBytes === 0) return { type_url: typeUrl, value };
  const reason = `expected an Any, got ${end - start} bytes that do not decode from byte ${cursor.fieldStart - start} on`;
  return { unreadable: { name: null, reason } };
}
