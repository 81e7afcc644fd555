import { WireCursor } from '../../../codec/wire-cursor';
import { readVarint, skipVarint } from './varint';
import { WireList } from './wire-list';

export interface SplitResponse {
  readonly resources: WireList;
  readonly rest: Uint8Array;
}

/** The number of the field in DiscoveryResponse and DeltaDiscoveryResponse. */
const resourcesField = 2;
export const resourcesTag = resourcesField * 8 + 2;

/** Separates the resources of a response without reading them; returns undefined if it is not protobuf. */
export function splitResponse(
  message: Buffer,
  isDelta: boolean,
  resources: WireList = new WireList(isDelta),
): SplitResponse | undefined {
  const rest: Uint8Array[] = [];
  let position = 0;
  while (position < message.length) {
    // The usual field is read here, every other one with the cursor.
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
