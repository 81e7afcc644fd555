import protobuf from 'protobufjs';
import { WireCursor } from '../wire-cursor';
import { type FieldPlan, planOf } from './type-plan';

/** A field to write back unchanged, and the number of the known field that follows it (0 at the end). */
export interface PlacedField {
  readonly raw: Uint8Array;
  readonly before: number;
}

/** The fields of a map's entry besides key and value, which protobufjs skips. */
export interface EntryUnknown {
  /** Number of the map's field. */
  readonly field: number;
  readonly key: string;
  /** In `before`, 1 is the key and 2 the value. */
  readonly kept: readonly PlacedField[];
}

interface FoundEntries {
  /** The key is the path of the message with the map, such as ".a[2].b". */
  readonly byPath: ReadonlyMap<string, readonly EntryUnknown[]>;
  /** True if some fields are missing, because there are too many or a later entry has the same key. */
  readonly isCut: boolean;
}

const maxDepth = 100;
/** Limits the fields that are reported for one body. */
const mostEntries = 1_000;

/** Must be called only for a body in which a decoder has skipped fields. */
export function findEntryUnknown(type: protobuf.Type, bytes: Uint8Array, path: string): FoundEntries {
  const finder = new EntryFinder();
  finder.message(type, bytes, path, 0);
  const byPath = new Map([...finder.byPath].map(([at, entries]) => [at, [...entries.values()]]));
  return { byPath, isCut: finder.isCut };
}

class EntryFinder {
  readonly byPath = new Map<string, Map<string, EntryUnknown>>();
  isCut = false;
  #found = 0;

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
      if (field.shape === 'map') this.#entry(field, value, path, depth);
      else if (field.type !== undefined) {
        const index = counts.get(field.number) ?? 0;
        counts.set(field.number, index + 1);
        const step = field.shape === 'list' ? `.${field.name}[${index}]` : `.${field.name}`;
        this.message(field.type, value, `${path}${step}`, depth + 1);
      }
    }
  }

  #entry(field: FieldPlan, bytes: Uint8Array, path: string, depth: number): void {
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
    this.#note(path, { field: field.number, key, kept });
  }

  /** The later one of two entries with the same key is valid. */
  #note(path: string, entry: EntryUnknown): void {
    const id = `${entry.field} ${entry.key}`;
    const here = this.byPath.get(path);
    if (here?.delete(id)) this.isCut = true;
    if (entry.kept.length === 0) return;
    this.#found += entry.kept.length;
    if (this.#found > mostEntries) {
      this.isCut = true;
      return;
    }
    if (here === undefined) this.byPath.set(path, new Map([[id, entry]]));
    else here.set(id, entry);
  }
}

/** Returns the key as text, or the default of its type if the entry has none. */
export function readEntryKey(entry: Uint8Array, keyType: string): string {
  const keyWireType = protobuf.types.mapKey[keyType as keyof typeof protobuf.types.mapKey];
  let key = keyType === 'string' ? '' : keyType === 'bool' ? 'false' : '0';
  const cursor = new WireCursor(entry);
  while (cursor.next()) {
    if (cursor.number !== 1 || cursor.wireType !== keyWireType) continue;
    const value = entry.subarray(cursor.valueStart, cursor.fieldEnd);
    key =
      keyType === 'string'
        ? Buffer.from(value).toString('utf8')
        : String(protobuf.Reader.create(value)[keyType as 'uint64']());
  }
  return key;
}
