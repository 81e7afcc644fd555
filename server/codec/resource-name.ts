import { messageNameOf } from '@/lib/xds/resource-type';
import { WireCursor } from './wire-cursor';
import { textAt } from './wire-text';

const nameFields = new Map<string, number>([['envoy.service.discovery.v3.Resource', 3]]);

/** Cached, because the resources of a response are of one type. */
let latest = { typeUrl: '', nameField: 1 };

/**
 * Reads the name of a resource (cluster_name of endpoints) without decoding the other fields. The last occurrence wins,
 * as in a decoder. Returns undefined if there is none, or if the bytes before it are malformed.
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
