import protobuf from 'protobufjs';
import { sha256 } from './sha256';
import { WireCursor } from './wire-cursor';

type WireTypeName = 'varint' | 'fixed64' | 'bytes' | 'group' | 'fixed32';

/** The index is the wire type. Type 4 is the end of a group. */
const wireTypeNames: readonly (WireTypeName | undefined)[] = [
  ...(['varint', 'fixed64', 'bytes', 'group'] as const),
  undefined,
  'fixed32',
];

/** A field on the wire that the type of its message does not declare, as an item of "xdscope.unknown". */
export interface UnknownField {
  readonly field: number;
  readonly wireType: WireTypeName;
  /** Size of the value without tag and length. */
  readonly sizeBytes: number;
  /** Unsigned decimal of a varint, fixed32 or fixed64. */
  readonly value?: string;
  /** Value of bytes, or of a group including its end tag. */
  readonly valueBase64?: string;
  /** Tag and value, if an encoder would write them differently. */
  readonly rawBase64?: string;
  /** Number of the known field that follows on the wire; absent at the end of the message. */
  readonly before?: number;
  /** Set for a field in an entry of a map: number of the map's field, and key of the entry as text. */
  readonly entryOf?: { readonly field: number; readonly key: string };
}

/** Further unknown fields of a message are combined into one item with all their bytes. */
const mostPerMessage = 500;

export interface DescribedField {
  readonly unknown: UnknownField;
  /** SHA-256 of the value, hex. */
  readonly hash: string;
}

/** `kept` holds tag and value of each field; `nextField` returns the number of the field behind one, 0 at the end. */
export function describeUnknownFields(
  kept: readonly Uint8Array[],
  nextField: (raw: Uint8Array) => number,
): DescribedField[] {
  const described: DescribedField[] = [];
  let before = 0;
  let behind: Uint8Array | undefined;
  for (let index = Math.min(kept.length - 1, mostPerMessage); index >= 0; index--) {
    const raw = index === mostPerMessage ? Buffer.concat(kept.slice(index)) : kept[index];
    if (raw === undefined) continue;
    if (index < mostPerMessage && behind?.byteOffset !== raw.byteOffset + raw.length) before = nextField(raw);
    behind = raw;
    described.push(describeUnknownField(raw, before));
  }
  return described.reverse();
}

/** `raw` holds tag and value. */
function describeUnknownField(raw: Uint8Array, before: number): DescribedField {
  const cursor = new WireCursor(raw);
  cursor.next();
  const { number: field, valueStart } = cursor;
  const wireType = wireTypeNames[cursor.wireType] ?? 'varint';
  const value = raw.subarray(valueStart);
  const isScalar = wireType !== 'bytes' && wireType !== 'group';
  const described: UnknownField = {
    field,
    wireType,
    sizeBytes: value.length,
    ...(isScalar ? { value: readUnsigned(wireType, value) } : { valueBase64: base64Of(value) }),
  };
  const isPlain = Buffer.compare(encodePlain(described), raw) === 0;
  const unknown = {
    ...described,
    ...(isPlain ? {} : { rawBase64: base64Of(raw) }),
    ...(before === 0 ? {} : { before }),
  };
  return { unknown, hash: sha256(value) };
}

/** Returns tag and value of an item of describeUnknownFields(), or undefined for any other JSON. */
export function encodeUnknownField(item: unknown): Uint8Array | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { field, wireType, value, valueBase64, rawBase64 }: Partial<Record<keyof UnknownField, unknown>> =
    item;
  if (typeof rawBase64 === 'string') {
    const raw = Buffer.from(rawBase64, 'base64');
    return isWholeFields(raw) ? raw : undefined;
  }
  if (typeof field !== 'number' || !Number.isInteger(field) || field < 1 || field > 0x1fffffff)
    return undefined;
  const name = wireTypeNames.find((known) => known === wireType);
  if (name === undefined) return undefined;
  if (name === 'bytes' || name === 'group') {
    if (typeof valueBase64 !== 'string') return undefined;
    const raw = encodePlain({ field, wireType: name, sizeBytes: 0, valueBase64 });
    return name === 'bytes' || isWholeFields(raw) ? raw : undefined;
  }
  const limit = name === 'fixed32' ? 1n << 32n : 1n << 64n;
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value) || BigInt(value) >= limit) return undefined;
  return encodePlain({ field, wireType: name, sizeBytes: 0, value });
}

function encodePlain({ field, wireType, value = '0', valueBase64 = '' }: UnknownField): Uint8Array {
  const writer = protobuf.Writer.create().uint32(field * 8 + wireTypeNames.indexOf(wireType));
  switch (wireType) {
    case 'varint':
      return writer.uint64(value).finish();
    case 'fixed64':
      return writer.fixed64(value).finish();
    case 'fixed32':
      return writer.fixed32(Number(value)).finish();
    case 'group':
      return writer.raw(Buffer.from(valueBase64, 'base64')).finish();
    case 'bytes':
      return writer.bytes(Buffer.from(valueBase64, 'base64')).finish();
  }
}

function readUnsigned(wireType: WireTypeName, value: Uint8Array): string {
  const reader = protobuf.Reader.create(value);
  if (wireType === 'fixed32') return String(reader.fixed32());
  return String(wireType === 'varint' ? reader.uint64() : reader.fixed64());
}

/** Returns whether the bytes are complete fields; others would change how the following fields are decoded. */
function isWholeFields(raw: Uint8Array): boolean {
  const cursor = new WireCursor(raw);
  while (cursor.next()) if (cursor.missingBytes > 0) return false;
  return !cursor.malformed && raw.length > 0;
}

export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
