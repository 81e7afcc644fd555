import { findResourceType, messageNameOf } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { findMessageType, typesVersion } from './root';
import { WireCursor } from './wire-cursor';
import { textAt } from './wire-text';

const wrapper = 'envoy.service.discovery.v3.Resource';

type ReadName = (bytes: Uint8Array) => string | undefined;

/** Cached, because the resources of a response are of one type. */
let latest: { readonly typeUrl: string; readonly types: number; readonly read: ReadName } | undefined;

/** Types whose names istiod forms from several fields, or from one that is not the first. */
const composedNames: ReadonlyMap<string, ReadName> = new Map([
  ['istio.workload.Address', addressName],
  ['istio.workload.Workload', workloadName],
  ['istio.workload.Service', serviceName],
  ['istio.security.Authorization', (bytes) => joinTexts(bytes, 1)],
]);

function addressName(bytes: Uint8Array): string | undefined {
  const workload = peekBytes(1, bytes);
  if (workload !== undefined) return workloadName(workload);
  const service = peekBytes(2, bytes);
  return service && serviceName(service);
}

function workloadName(bytes: Uint8Array): string | undefined {
  return peekText(20, bytes);
}

function serviceName(bytes: Uint8Array): string | undefined {
  return joinTexts(bytes, 3);
}

/** "shop/cart.shop.svc.cluster.local" */
function joinTexts(bytes: Uint8Array, name: number): string | undefined {
  const last = peekText(name, bytes);
  return last && `${peekText(2, bytes) ?? ''}/${last}`;
}

/**
 * Reads the name of a resource (cluster_name of endpoints) without decoding the other fields. Returns '' if the type is
 * not known, or if its first field is not text: that of Istio's NameTable is a table. Returns
 * undefined without a type, if there is no name, or if the bytes before it are malformed.
 */
export function peekResourceName(typeUrl: string, bytes: Uint8Array): string | undefined {
  const types = typesVersion();
  if (latest?.typeUrl !== typeUrl || latest.types !== types)
    latest = { typeUrl, types, read: nameReaderOf(typeUrl) };
  return latest.read(bytes);
}

function nameReaderOf(typeUrl: string): ReadName {
  const composed = composedNames.get(messageNameOf(typeUrl));
  if (composed !== undefined) return composed;
  const field = nameFieldOf(typeUrl);
  if (field !== undefined) return (bytes) => peekText(field, bytes);
  return () => (typeUrl === '' ? undefined : '');
}

export function peekText(field: number, bytes: Uint8Array): string | undefined {
  return peek(field, bytes, textAt);
}

function peekBytes(field: number, bytes: Uint8Array): Uint8Array | undefined {
  return peek(field, bytes, (within, start, end) => within.subarray(start, end));
}

/** The last occurrence of the field wins, as in a decoder. Returns undefined if it is empty. */
function peek<T>(
  field: number,
  bytes: Uint8Array,
  read: (bytes: Uint8Array, start: number, end: number) => T,
): T | undefined {
  let start = 0;
  let end = 0;
  const cursor = new WireCursor(bytes);
  while (cursor.next()) {
    if (cursor.number !== field || cursor.wireType !== 2 || cursor.missingBytes > 0) continue;
    start = cursor.valueStart;
    end = cursor.fieldEnd;
  }
  return start === end ? undefined : read(bytes, start, end);
}

function nameFieldOf(typeUrl: string): number | undefined {
  const { typeUrl: v3 } = readTypeUrl(typeUrl);
  if (findResourceType(v3) !== undefined) return 1;
  if (messageNameOf(v3) === wrapper) return 3;
  const first = findMessageType(typeUrl)?.fieldsById[1];
  return first?.type === 'string' && !first.repeated && !first.map ? 1 : undefined;
}
