import type protobuf from 'protobufjs';
import { encodeVarint, WireCursor } from '../wire-cursor';
import { type PlacedField, spliceFields } from './splice-fields';
import { type FieldPlan, planOf } from './type-plan';

/** What an entry of a map has besides key and value. protobufjs passes it over. */
export interface EntryUnknown {
  /** Number of the map's field. */
  readonly field: number;
  /** As text, whatever its type. */
  readonly key: string;
  /** `before`: 1 is the key, 2 the value. */
  readonly kept: readonly PlacedField[];
}

export interface FoundEntries {
  /** By the path of the message with the map, as JsonWriter has it: ".a[2].b". */
  readonly byPath: ReadonlyMap<string, readonly EntryUnknown[]>;
  /** Not all is in it: there is more than anybody wants to look at, or an entry was overwritten by another. */
  readonly isCut: boolean;
}

const maxDepth = 100;
/** So many of one body are reported one by one. */
const mostEntries = 1_000;

/** Walks the wire: only for bodies in which a decoder has passed something over. */
export function findEntryUnknown(type: protobuf.Type, bytes: Uint8Array, path: string): FoundEntries {
  const finder = new EntryFinder();
  finder.message(type, bytes, path, 0);
  const byPath = new Map([...finder.byPath].map(([at, entries]) => [at, [...entries.values()]]));
  return { byPath, isCut: finder.isCut };
}

class EntryFinder {
  readonly byPath = new Map<string, Map<string, EntryUnknown>>();
  isCut = false;
  private found = 0;

  message(type: protobuf.Type, bytes: Uint8Array, path: string, depth: number): void {
    if (depth > maxDepth) {
      this.isCut = true;
      return;
    }
    const { byNumber } = planOf(type);
    const counts = new Map<number, number>();
    const cursor = new WireCursor(bytes);
    while (cursor.next()) {
      const field = byNumber.get(cursor.number);
      if (field === undefined || cursor.wireType !== 2) continue;
      const value = bytes.subarray(cursor.valueStart, cursor.fieldEnd);
      if (field.shape === 'map') this.entry(field, value, path, depth);
      else if (field.type !== undefined) {
        const index = counts.get(field.number) ?? 0;
        counts.set(field.number, index + 1);
        const step = field.shape === 'list' ? `.${field.name}[${index}]` : `.${field.name}`;
        this.message(field.type, value, `${path}${step}`, depth + 1);
      }
    }
  }

  private entry(field: FieldPlan, bytes: Uint8Array, path: string, depth: number): void {
    const kept: { raw: Uint8Array; before: number }[] = [];
    const cursor = new WireCursor(bytes);
    let value: Uint8Array | undefined;
    let waiting = 0;
    while (cursor.next()) {
      const { number, fieldStart, fieldEnd, valueStart } = cursor;
      if (number === 1 || number === 2) {
        for (; waiting < kept.length; waiting++) {
          const each = kept[waiting];
          if (each !== undefined) each.before = number;
        }
        if (number === 2) value = bytes.subarray(valueStart, fieldEnd);
      } else kept.push({ raw: bytes.subarray(fieldStart, fieldEnd), before: 0 });
    }
    const key = readEntryKey(bytes, field.keyType);
    if (field.type !== undefined && value !== undefined) {
      this.message(field.type, value, `${path}.${field.name}["${key}"]`, depth + 1);
    }
    this.note(path, { field: field.number, key, kept });
  }

  /** Of two entries with one key the later one counts. */
  private note(path: string, entry: EntryUnknown): void {
    const id = `${entry.field} ${entry.key}`;
    const here = this.byPath.get(path);
    if (here?.delete(id)) this.isCut = true;
    if (entry.kept.length === 0) return;
    this.found += entry.kept.length;
    if (this.found > mostEntries) {
      this.isCut = true;
      return;
    }
    if (here === undefined) this.byPath.set(path, new Map([[id, entry]]));
    else here.set(id, entry);
  }
}

/** `known`: an encoded message. Entries that are not in it are left out. */
export function spliceEntries(
  type: protobuf.Type,
  known: Uint8Array,
  entries: readonly EntryUnknown[],
): Uint8Array {
  if (entries.length === 0) return known;
  const { byNumber } = planOf(type);
  const wanted = new Map<string, PlacedField[]>();
  for (const { field, key, kept } of entries) {
    const id = `${field} ${key}`;
    wanted.set(id, [...(wanted.get(id) ?? []), ...kept]);
  }
  const parts: Uint8Array[] = [];
  const cursor = new WireCursor(known);
  while (cursor.next()) {
    const { number, fieldStart, fieldEnd, valueStart } = cursor;
    const keyType = byNumber.get(number)?.keyType ?? '';
    const entry = known.subarray(valueStart, fieldEnd);
    const kept = keyType === '' ? undefined : wanted.get(`${number} ${readEntryKey(entry, keyType)}`);
    if (kept === undefined) parts.push(known.subarray(fieldStart, fieldEnd));
    else {
      const whole = spliceFields(entry, kept);
      parts.push(encodeVarint(number * 8 + 2), encodeVarint(whole.length), whole);
    }
  }
  return Buffer.concat(parts);
}

/** As text; that of its type's default where the entry has none. */
function readEntryKey(entry: Uint8Array, keyType: string): string {
  let key = keyType === 'string' ? '' : keyType === 'bool' ? 'false' : '0';
  const cursor = new WireCursor(entry);
  while (cursor.next()) {
    if (cursor.number !== 1) continue;
    const value = entry.subarray(cursor.valueStart, cursor.fieldEnd);
    if (keyType === 'string') key = Buffer.from(value).toString('utf8');
    else key = formatNumber(cursor.wireType === 0 ? readVarint(value) : readLittleEndian(value), keyType);
  }
  return key;
}

function formatNumber(bits: bigint, keyType: string): string {
  if (keyType === 'bool') return String(bits !== 0n);
  if (keyType.startsWith('sint')) return String((bits >> 1n) ^ -(bits & 1n));
  const width = keyType.endsWith('64') ? 64 : 32;
  const isUnsigned = keyType.startsWith('u') || keyType.startsWith('fixed');
  return String(isUnsigned ? BigInt.asUintN(width, bits) : BigInt.asIntN(width, bits));
}

function readVarint(bytes: Uint8Array): bigint {
  return BigInt.asUintN(
    64,
    bytes.reduce((sum, byte, index) => sum | (BigInt(byte & 0x7f) << BigInt(7 * index)), 0n),
  );
}

function readLittleEndian(bytes: Uint8Array): bigint {
  return bytes.reduce((sum, byte, index) => sum | (BigInt(byte) << BigInt(8 * index)), 0n);
}
