import { WireCursor } from '../../codec/wire-cursor';
import { readVarint, skipVarint } from './varint';
import { WireList } from './wire-list';

export interface SplitResponse {
  readonly resources: WireList;
  /** The message without them: small, and to be decoded as any. */
  readonly rest: Uint8Array;
}

/** In DiscoveryResponse and DeltaDiscoveryResponse alike, length-delimited. */
const resourcesField = 2;
export const resourcesTag = resourcesField * 8 + 2;

/** Cuts the resources out of a response, without looking into them. undefined where it is no protobuf. */
export function splitResponse(
  message: Buffer,
  isDelta: boolean,
  /** To which they are added. */
  resources: WireList = new WireList(isDelta),
): SplitResponse | undefined {
  const rest: Uint8Array[] = [];
  let position = 0;
  while (position < message.length) {
    // The short way for the usual field; what is odd in any way is the cursor's.
    if (message[position] === resourcesTag) {
      const start = skipVarint(message, position + 1);
      const end = start + readVarint(message, position + 1, start);
      if (start > 0 && end <= message.length) {
        resources.add(message, start, end);
        position = end;
        continue;
      }
    }
    const cursor = new WireCursor(message, position, message.length);
    if (!cursor.next() || cursor.missingBytes > 0) return undefined;
    if (cursor.number === resourcesField && cursor.wireType === 2) {
      resources.add(message, cursor.valueStart, cursor.fieldEnd);
    } else {
      rest.push(message.subarray(cursor.fieldStart, cursor.fieldEnd));
    }
    position = cursor.fieldEnd;
  }
  return { resources, rest: Buffer.concat(rest) };
}
