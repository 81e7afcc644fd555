import type protobuf from 'protobufjs';
import { messageOf } from '@/lib/format/message-of';
import { levelsExceeded } from '../document-nesting';
import { findMessageType, unknownTypeReason } from '../root';
import { encodeUnknownField, type UnknownField } from '../unknown-field';
import { encodeVarint, WireCursor } from '../wire-cursor';
import { isJsonObject, type JsonObject } from './json-object';
import { readMapKey, readScalar } from './json-scalar';
import { readStruct, readText, readValue, readValues } from './json-special';
import { type EntryUnknown, type PlacedField, readEntryKey } from './map-entry-unknown';
import { showName, showValue } from './show-value';
import { type FieldPlan, planOf, type SpecialJson } from './type-plan';

export interface JsonProblem {
  /** JSON path in the document, '' for the whole document. */
  readonly place: string;
  readonly reason: string;
  /** True for a member that the type does not declare, but another version of the protos may. */
  readonly isUnknownField: boolean;
}

const shownProblems = 5;

export function formatProblems(problems: readonly JsonProblem[]): string {
  const more = problems.length - shownProblems;
  const shown = problems
    .slice(0, shownProblems)
    .map(({ place, reason }) => (place === '' ? reason : `${place}: ${reason}`));
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

interface EncodedJson {
  readonly bytes: Uint8Array;
  readonly problems: readonly JsonProblem[];
}

type Properties = Record<string, unknown>;

/** The limit of protobuf, counted over all nested Any values. */
const maxDepth = 100;

/**
 * Encodes proto3 JSON in camelCase or snake_case, with the variants in Envoy's own files (enums as numbers or in any
 * case, numbers as text). "xdscope.opaque" and "xdscope.unknown" become the bytes that they were decoded from. Parts
 * that cannot be converted are left out and listed. Never throws.
 */
export function encodeJson(type: protobuf.Type, json: unknown): EncodedJson {
  const reader = new JsonReader('');
  const bytes = reader.encode(type, json, 0);
  return { bytes, problems: reader.problems };
}

/**
 * Converts like encodeJson(), but returns the message with encoded Any values; undefined if it is empty. `place`: the path of
 * the JSON in its document.
 */
export function readJsonMessage(
  type: protobuf.Type,
  json: unknown,
  place = '',
): { readonly message: object | undefined; readonly problems: readonly JsonProblem[] } {
  const reader = new JsonReader(place);
  const message = reader.message(type, json, 0);
  return { message, problems: reader.problems };
}

class JsonReader {
  readonly #place: string;
  readonly problems: JsonProblem[] = [];
  /** Path from `place` to the current value, converted to text only for a problem. */
  readonly #steps: Step[] = [];

  constructor(place: string) {
    this.#place = place;
  }

  encode(type: protobuf.Type, json: unknown, depth: number): Uint8Array {
    const message = this.message(type, json, depth);
    if (message === undefined) return new Uint8Array();
    try {
      return type.encode(message).finish();
    } catch (error) {
      this.#reject(messageOf(error));
      return new Uint8Array();
    }
  }

  #reject(reason: string, isUnknownField = false): undefined {
    this.problems.push({ place: this.#steps.reduce(placeOf, this.#place), reason, isUnknownField });
  }

  #rejectAt(step: Step, reason: string, isUnknownField = false): undefined {
    this.#steps.push(step);
    this.#reject(reason, isUnknownField);
    this.#steps.pop();
  }

  message(type: protobuf.Type, json: unknown, depth: number): Properties | undefined {
    if (depth > maxDepth) return this.#reject(levelsExceeded(maxDepth).message);
    const { special } = planOf(type);
    const isPlain = special !== undefined && isJsonObject(json) && isPlainForm(json, type, special);
    if (special === undefined || isPlain) return this.#fields(type, json, depth);
    switch (special) {
      case 'any':
        return this.#any(json, depth);
      case 'struct':
        return this.#special(() => readStruct(json, this.#plainValue(depth)));
      case 'value':
        return this.#special(() => readValue(json, this.#plainValue(depth)));
      case 'list':
        return this.#special(() => readValues(json, this.#plainValue(depth)));
      case 'text':
        return this.#special(() => readText(type, json));
      case 'wrapper':
        return this.#special(() => ({
          value: readScalar(planOf(type).byName.get('value')?.scalar ?? 'string', json),
        }));
    }
  }

  #special(read: () => Properties): Properties | undefined {
    try {
      return read();
    } catch (error) {
      return this.#reject(messageOf(error));
    }
  }

  /** Values in a Struct can be in the plain form at any depth. Problems in them are reported at the Struct. */
  #plainValue(depth: number) {
    return (name: 'Struct' | 'Value' | 'ListValue', json: JsonObject): Properties | undefined => {
      const type = findMessageType(`google.protobuf.${name}`);
      return type === undefined ? undefined : this.message(type, json, depth + 1);
    };
  }

  #fields(type: protobuf.Type, json: unknown, depth: number): Properties | undefined {
    if (!isJsonObject(json)) return this.#reject(`expected an object (${type.name}), got ${showValue(json)}`);
    const { byJsonName } = planOf(type);
    const message: Properties = {};
    const seen: string[] = [];
    for (const key of Object.keys(json)) {
      if (key === 'xdscope.unknown' || key === 'xdscope.plain') continue;
      const value = json[key];
      const field = byJsonName.get(key);
      if (field === undefined) {
        this.#rejectAt(key, `${type.name} has no field "${showName(key)}"`, true);
        continue;
      }
      if (value === undefined || (value === null && !takesNull(field))) continue;
      const taken = field.oneof ?? field.name;
      if (seen.includes(taken)) {
        const what =
          field.oneof === undefined ? 'is there twice' : `is one of "${field.oneof}", and another one is set`;
        this.#rejectAt(key, `"${showName(key)}" ${what}`);
        continue;
      }
      seen.push(taken);
      this.#steps.push(key);
      const read = this.#field(field, value, depth);
      this.#steps.pop();
      if (read !== undefined) message[field.name] = read;
    }
    return this.#withUnknown(type, message, json['xdscope.unknown']);
  }

  #field(field: FieldPlan, value: unknown, depth: number): unknown {
    if (field.shape === 'single') return this.#single(field, value, depth);
    if (field.shape === 'list') {
      if (!Array.isArray(value)) return this.#reject(`expected a list, got ${showValue(value)}`);
      const items: unknown[] = [];
      for (const [index, item] of value.entries()) {
        this.#steps.push(index);
        const read = this.#single(field, item, depth);
        this.#steps.pop();
        if (read !== undefined) items.push(read);
      }
      return items;
    }
    if (!isJsonObject(value)) return this.#reject(`expected an object, got ${showValue(value)}`);
    const map: Properties = Object.create(null);
    for (const [key, item] of Object.entries(value)) {
      this.#steps.push([key]);
      const mapKey = readMapKey(field.keyType, key);
      const read = this.#single(field, item, depth);
      if (mapKey === undefined) this.#reject(`expected a key of type ${field.keyType}`);
      else if (read !== undefined) map[mapKey] = read;
      this.#steps.pop();
    }
    return map;
  }

  #single(field: FieldPlan, value: unknown, depth: number): unknown {
    if (field.type !== undefined) return this.message(field.type, value, depth + 1);
    if (field.enumType !== undefined) return this.#enumValue(field.enumType, value);
    try {
      return readScalar(field.scalar, value);
    } catch (error) {
      return this.#reject(messageOf(error));
    }
  }

  /** Accepts a number, or a name in any case with "-" for "_", as Envoy does. */
  #enumValue({ name, values }: protobuf.Enum, value: unknown): number | undefined {
    if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31) return value;
    if (value === null && name === 'NullValue') return 0;
    if (typeof value === 'string') {
      if (Object.hasOwn(values, value)) return values[value];
      const wanted = value.toUpperCase().replaceAll('-', '_');
      for (const [known, number] of Object.entries(values)) if (known.toUpperCase() === wanted) return number;
      if (/^-?\d{1,10}$/.test(value)) return Number(value);
    }
    const names = Object.keys(values).slice(0, 8).join(', ');
    const got = typeof value === 'string' ? `"${showName(value)}"` : showValue(value);
    return this.#reject(`expected one of ${name} (${names}), got ${got}`);
  }

  #any(json: unknown, depth: number): Properties | undefined {
    if (!isJsonObject(json)) return this.#reject(`expected an object with "@type", got ${showValue(json)}`);
    const { '@type': typeUrl, 'xdscope.anyUnknown': unknown, ...rest } = json;
    if (typeUrl === undefined && Object.keys(rest).length === 0) return {};
    if (typeof typeUrl !== 'string')
      return this.#reject(`expected "@type" as text, got ${showValue(typeUrl)}`);
    const value = this.#anyValue(typeUrl, rest, depth);
    const message: Properties = { type_url: typeUrl };
    if (value.length > 0) message.value = value;
    const type = findMessageType('google.protobuf.Any');
    return type === undefined ? message : this.#withUnknown(type, message, unknown);
  }

  #anyValue(typeUrl: string, json: JsonObject, depth: number): Uint8Array {
    const opaque = findOpaqueBytes(json);
    if (opaque !== undefined) return opaque;
    const type = findMessageType(typeUrl);
    if (type === undefined) {
      this.#reject(unknownTypeReason(typeUrl));
      return new Uint8Array();
    }
    if (planOf(type).special === undefined || !('value' in json)) return this.encode(type, json, depth + 1);
    this.#steps.push('value');
    const bytes = this.encode(type, json.value, depth + 1);
    this.#steps.pop();
    return bytes;
  }

  #withUnknown(type: protobuf.Type, message: Properties, items: unknown): Properties {
    if (!Array.isArray(items) || items.length === 0) return message;
    const kept: { raw: Uint8Array; before: number }[] = [];
    const entries: EntryUnknown[] = [];
    this.#steps.push('xdscope.unknown');
    for (const [index, item] of items.entries()) {
      const raw = encodeUnknownField(item);
      const { before: next, entryOf }: Partial<Record<keyof UnknownField, unknown>> = isJsonObject(item)
        ? item
        : {};
      const before = typeof next === 'number' ? next : 0;
      if (raw === undefined) {
        this.#rejectAt(index, `expected a field number, a wire type and a value, got ${showValue(item)}`);
      } else if (
        isJsonObject(entryOf) &&
        typeof entryOf.field === 'number' &&
        typeof entryOf.key === 'string'
      ) {
        entries.push({ field: entryOf.field, key: entryOf.key, kept: [{ raw, before }] });
      } else kept.push({ raw, before });
    }
    this.#steps.pop();
    try {
      return spliceUnknown(type, message, kept, entries);
    } catch (error) {
      this.#reject(messageOf(error));
      return {};
    }
  }
}

type Step = string | number | readonly [mapKey: string];

function placeOf(place: string, step: Step): string {
  if (typeof step === 'number') return `${place}[${step}]`;
  return typeof step === 'string' ? join(place, step) : `${place}["${showName(step[0])}"]`;
}

/** Returns the bytes of {"xdscope.opaque": {"valueBase64"}}, or undefined for other JSON. */
export function findOpaqueBytes(json: unknown): Uint8Array | undefined {
  if (!isJsonObject(json)) return undefined;
  const opaque = json['xdscope.opaque'];
  if (!isJsonObject(opaque) || typeof opaque.valueBase64 !== 'string') return undefined;
  return Buffer.from(opaque.valueBase64, 'base64');
}

/** Returns whether a type with a special JSON form is written as its fields. */
function isPlainForm(json: JsonObject, type: protobuf.Type, special: SpecialJson): boolean {
  // The special form of wrappers, durations and times is not an object.
  return special === 'wrapper' || special === 'text' || json['xdscope.plain'] === type.name;
}

function takesNull({ type, enumType }: FieldPlan): boolean {
  return type?.fullName === '.google.protobuf.Value' || enumType?.name === 'NullValue';
}

function join(place: string, key: string): string {
  return place === '' ? showName(key) : `${place}.${showName(key)}`;
}

/**
 * Adds fields that its type does not declare to a message for type.encode(): before the known fields that followed them
 * or, like most encoders, at the end; and in the entries of its maps. Throws what type.encode() throws.
 */
function spliceUnknown(
  type: protobuf.Type,
  message: Record<string, unknown>,
  fields: readonly PlacedField[],
  entries: readonly EntryUnknown[] = [],
): Record<string, unknown> {
  if (entries.length === 0 && fields.every(({ before }) => before === 0)) {
    return { ...message, $unknowns: fields.map(({ raw }) => raw) };
  }
  const known = spliceEntries(type, type.encode(message).finish(), entries);
  // protobufjs writes kept fields unchanged; here, they are the whole message.
  return { $unknowns: [spliceFields(known, fields)] };
}

/** `known` is an encoded message. Fields of entries that it lacks are left out. */
function spliceEntries(type: protobuf.Type, known: Uint8Array, entries: readonly EntryUnknown[]): Uint8Array {
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

function spliceFields(known: Uint8Array, fields: readonly PlacedField[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const waiting = [...fields];
  let copiedTo = 0;
  const cursor = new WireCursor(known);
  while (cursor.next()) {
    const { number, fieldStart } = cursor;
    if (!waiting.some(({ before }) => before === number)) continue;
    parts.push(known.subarray(copiedTo, fieldStart));
    copiedTo = fieldStart;
    for (let index = 0; index < waiting.length; ) {
      const field = waiting[index];
      if (field?.before !== number) index++;
      else parts.push(...waiting.splice(index, 1).map(({ raw }) => raw));
    }
  }
  parts.push(known.subarray(copiedTo), ...waiting.map(({ raw }) => raw));
  return Buffer.concat(parts);
}
