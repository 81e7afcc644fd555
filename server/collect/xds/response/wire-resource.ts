import { messageOf } from '@/lib/format/message-of';
import { messageType } from '../../../codec/root';
import { TextMemo } from '../../../codec/text-memo';
import { WireCursor } from '../../../codec/wire-cursor';
import type { AnyFields, WrapperFields } from './response-envelope';
import { readVarint, skipVarint } from './varint';

type Fields = AnyFields & WrapperFields;

/** google.protobuf.Any: type_url 1, value 2. */
const typeUrlTag = 10;
const valueTag = 18;

export function readWrapperFields(bytes: Uint8Array): Fields {
  try {
    return messageType('envoy.service.discovery.v3.Resource').decode(bytes) as WrapperFields;
  } catch (error) {
    const reason = messageOf(error);
    return { unreadable: { name: null, reason: `the wrapping Resource does not decode: ${reason}` } };
  }
}

/** Avoids a new string for each of 100,000 equal type URLs. */
const typeUrls = new TextMemo((typeUrl) => typeUrl);

/** Reads a google.protobuf.Any in a quarter of the decoder's time. The value is a view of the message. */
export function readAnyFields(message: Buffer, start: number, end: number): AnyFields {
  // The usual Any has both fields, with less than 128 and less than 2^28 bytes, and no other.
  const urlEnd = start + 2 + (message[start + 1] ?? 0);
  if (message[start] === typeUrlTag && urlEnd < Math.min(end, start + 130) && message[urlEnd] === valueTag) {
    const valueStart = skipVarint(message, urlEnd + 1);
    if (valueStart > 0 && valueStart + readVarint(message, urlEnd + 1, valueStart) === end) {
      const value = message.subarray(valueStart, end);
      return { type_url: typeUrls.get(message, start + 2, urlEnd), value };
    }
  }
  const cursor = new WireCursor(message, start, end);
  let typeUrl: string | undefined;
  let value: Uint8Array | undefined;
  while (cursor.next() && cursor.missingBytes === 0) {
    if (cursor.wireType !== 2) continue;
    if (cursor.number === 1) typeUrl = typeUrls.get(message, cursor.valueStart, cursor.fieldEnd);
    if (cursor.number === 2) value = message.subarray(cursor.valueStart, cursor.fieldEnd);
  }
  if (!cursor.malformed && cursor.missingBytes === 0) return { type_url: typeUrl, value };
  const reason = `expected an Any, got ${end - start} bytes that do not decode from byte ${cursor.fieldStart - start} on`;
  return { unreadable: { name: null, reason } };
}
