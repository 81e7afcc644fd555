import { messageNameOf } from '@/lib/xds/resource-type';
import { WireCursor } from './wire-cursor';
import { textAt } from './wire-text';

/** Known resource types whose name is not their field 1: none today; a table, so that the next one has a place. */
const nameFields = new Map<string, number>([['envoy.service.discovery.v3.Resource', 3]]);

/** The last question: in a response of 100,000 it is always the same one. */
let latest = { typeUrl: '', nameField: 1 };

/**
 * A resource's name (cluster_name for endpoints), read without decoding the rest; the last one wins, as it does for
 * a decoder. undefined when there is none, or the bytes before it are no protobuf.
 */
export function peekResourceName(typeUrl: string, bytes: Uint8Array): string | undefined {
  if (latest.typeUrl !== typeUrl) {
    latest = { typeUrl, nameField: nameFields.get(messageNameOf(typeUrl)) ?? 1 };
  }
  const { nameField } = latest;
  let start = 0;
  let end = 0;
  const cursor = new WireCursor(bytes);
  while (cursor.next()) {
    if (cursor.number !== nameField || cursor.wireType !== 2 || cursor.missingBytes > 0) continue;
    start = cursor.valueStart;
    end = cursor.fieldEnd;
  }
  return start === end ? undefined : textAt(bytes, start, end);
}
