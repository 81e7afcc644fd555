import { messageNameOf } from '@/lib/xds/resource-type';
import { WireCursor } from './wire-cursor';

/** Known resource types whose name is not their field 1: none today; a table, so that the next one has a place. */
const nameFields = new Map<string, number>([['envoy.service.discovery.v3.Resource', 3]]);

/**
 * A resource's name (cluster_name for endpoints), read without decoding the rest; the last one wins, as it does for
 * a decoder. undefined when there is none, or the bytes before it are no protobuf.
 */
export function peekResourceName(typeUrl: string, bytes: Uint8Array): string | undefined {
  const nameField = nameFields.get(messageNameOf(typeUrl)) ?? 1;
  const cursor = new WireCursor(bytes, 0, bytes.length);
  let name: string | undefined;
  while (cursor.next()) {
    if (cursor.number !== nameField || cursor.wireType !== 2 || cursor.missingBytes > 0) continue;
    const { byteOffset } = bytes;
    name = Buffer.from(
      bytes.buffer,
      byteOffset + cursor.valueStart,
      cursor.fieldEnd - cursor.valueStart,
    ).toString('utf8');
  }
  return name === '' ? undefined : name;
}
