import { findResourceType, messageNameOf } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { findMessageType, typesVersion } from './root';
import { WireCursor } from './wire-cursor';
import { textAt } from './wire-text';

const wrapper = 'envoy.service.discovery.v3.Resource';

/** Cached, because the resources of a response are of one type. */
let latest: { readonly typeUrl: string; readonly types: number; readonly nameField: number | undefined } = {
  typeUrl: '',
  types: 0,
  nameField: undefined,
};

/**
 * Reads the name of a resource (cluster_name of endpoints) without decoding the other fields. Returns '' if the type is
 * not known, or if its first field is no text: that of Istio's NameTable is a table. Returns
 * undefined without a type, if there is no name, or if the bytes before it are malformed.
 */
export function peekResourceName(typeUrl: string, bytes: Uint8Array): string | undefined {
  const types = typesVersion();
  if (latest.typeUrl !== typeUrl || latest.types !== types)
    latest = { typeUrl, types, nameField: nameFieldOf(typeUrl) };
  const { nameField } = latest;
  if (nameField !== undefined) return peekText(nameField, bytes);
  return typeUrl === '' ? undefined : '';
}

/** The last occurrence of the field wins, as in a decoder. */
export function peekText(field: number, bytes: Uint8Array): string | undefined {
  let start = 0;
  let end = 0;
  const cursor = new WireCursor(bytes);
  while (cursor.next()) {
    if (cursor.number !== field || cursor.wireType !== 2 || cursor.missingBytes > 0) continue;
    start = cursor.valueStart;
    end = cursor.fieldEnd;
  }
  return start === end ? undefined : textAt(bytes, start, end);
}

function nameFieldOf(typeUrl: string): number | undefined {
  const { typeUrl: v3 } = readTypeUrl(typeUrl);
  if (findResourceType(v3) !== undefined) return 1;
  if (messageNameOf(v3) === wrapper) return 3;
  const first = findMessageType(typeUrl)?.fieldsById[1];
  return first?.type === 'string' && !first.repeated && !first.map ? 1 : undefined;
}
