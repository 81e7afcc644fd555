import { createHash } from 'node:crypto';
import { encodeVarint, WireCursor } from './wire-cursor';

export type WireTypeName = 'varint' | 'fixed64' | 'bytes' | 'group' | 'fixed32';

/** By number; 4 is the end of a group. */
const wireTypeNames: readonly (WireTypeName | undefined)[] = [
  ...(['varint', 'fixed64', 'bytes', 'group'] as const),
  undefined,
  'fixed32',
];

/** A field on the wire that its message's type does not have, as an item of "xdscope.unknown". */
export interface UnknownField {
  readonly field: number;
  readonly wireType: WireTypeName;
  /** Of the value: for bytes and groups without tag and length. */
  readonly sizeBytes: number;
  /** Unsigned, decimal; of varint, fixed32 and fixed64. */
  readonly value?: string;
  /** Of bytes, and of a group with its end tag. */
  readonly valueBase64?: string;
  /** Tag and value, where an encoder would have written them in another way. */
  readonly rawBase64?: string;
  /** The known field that comes next on the wire; absent for what is at the end of its message. */
  readonly before?: number;
  /** It is in an entry of a map: the map's field, and the entry's key as text. */
  readonly entryOf?: { readonly field: number; readonly key: string };
}

/** So many of one message are reported one by one; the others together, as one item with their bytes. */
const mostPerMessage = 500;

export interface DescribedField {
  readonly unknown: UnknownField;
  /** SHA-256 of the value, hex. */
  readonly hash: string;
}

/** `kept`: tag and value of each, as a decoder kept them. `nextField`: number of what stood behind one, 0 at the end. */
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

/** `raw`: tag and value, as a decoder kept them. */
function describeUnknownField(raw: Uint8Array, before: number): DescribedField {
  const cursor = new WireCursor(raw);
  cursor.next();
  const { number: field, valueStart } = cursor;
  const wireType = wireTypeNames[cursor.wireType] ?? 'varint';
  const value = raw.subarray(valueStart);
  const hash = createHash('sha256').update(value).digest('hex');
  const isScalar = wireType !== 'bytes' && wireType !== 'group';
  const described: UnknownField = {
    field,
    wireType,
    sizeBytes: value.length,
    ...(isScalar ? { value: readUnsigned(wireType, value).toString() } : { valueBase64: base64Of(value) }),
  };
  const isPlain = base64Of(encodePlain(described)) === base64Of(raw);
  const unknown = {
    ...described,
    ...(isPlain ? {} : { rawBase64: base64Of(raw) }),
    ...(before === 0 ? {} : { before }),
  };
  return { unknown, hash };
}

/** Back to tag and value. Returns undefined when the item is none that describeUnknownField makes. */
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
  const tag = encodeVarint(field * 8 + wireTypeNames.indexOf(wireType));
  switch (wireType) {
    case 'varint':
      return Buffer.concat([tag, encodeVarint64(BigInt(value))]);
    case 'fixed64': {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(value));
      return Buffer.concat([tag, bytes]);
    }
    case 'fixed32': {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(Number(value));
      return Buffer.concat([tag, bytes]);
    }
    default: {
      const bytes = Buffer.from(valueBase64, 'base64');
      return Buffer.concat(wireType === 'group' ? [tag, bytes] : [tag, encodeVarint(bytes.length), bytes]);
    }
  }
}

function readUnsigned(wireType: WireTypeName, value: Uint8Array): bigint {
  let result = 0n;
  const bits = wireType === 'varint' ? 7n : 8n;
  for (let index = value.length - 1; index >= 0; index--) {
    const byte = value[index] ?? 0;
    result = (result << bits) | BigInt(wireType === 'varint' ? byte & 0x7f : byte);
  }
  return BigInt.asUintN(64, result);
}

function encodeVarint64(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

/** Whole fields and nothing else: else the bytes around them would be read in another way. */
function isWholeFields(raw: Uint8Array): boolean {
  const cursor = new WireCursor(raw);
  while (cursor.next()) if (cursor.missingBytes > 0) return false;
  return !cursor.malformed && raw.length > 0;
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
