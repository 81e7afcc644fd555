import type protobuf from 'protobufjs';
import protojson from 'protobufjs/ext/protojson.js';
import { by } from '@/lib/collections/compare';
import { messageOf } from '@/lib/format/message-of';
import { formatIpBytes } from '../../ip-address';
import type { OpaquePart, UnknownPart, V2Part } from '../body-parts';
import { KeepingReader, LenientReader } from '../keeping-reader';
import { findMessageType, isV2Type, messageType, unknownTypeReason } from '../root';
import { sha256 } from '../sha256';
import { base64Of, type DescribedField, describeUnknownFields, type UnknownField } from '../unknown-field';
import { type EntryUnknown, findEntryUnknown } from './map-entry-unknown';
import { type FieldPlan, planOf, type SpecialJson } from './type-plan';

type JsonObject = Record<string, unknown>;

/** A message as protobufjs decodes it, whose own properties were on the wire. */
interface Decoded {
  readonly [property: string]: unknown;
  readonly $unknowns?: readonly Uint8Array[];
}

/** The limit of protobuf, but counted over all nested Any values, for each of which a decoder starts from zero. */
const maxDepth = 100;
const lostEntries = 'entries of a map have more than a key and a value, and not all of it is shown';
const noFields: ReadonlyMap<number, FieldPlan> = new Map();

/** Converts bytes to proto3 JSON for decodeBody(). An instance collects unusual parts, so it is for one use. */
export class JsonWriter {
  readonly #asV3: boolean;
  readonly opaque: OpaquePart[] = [];
  readonly unknown: UnknownPart[] = [];
  readonly v2: V2Part[] = [];
  /** Path of the current value: ".name", 3 of a list, '["key"]'. It is a text where one is needed, which is rare. */
  readonly #path: (string | number)[] = [];
  /** Unknown fields in entries of maps, by the path of the map's message. Reported ones are removed. */
  #entries = new Map<string, readonly EntryUnknown[]>();
  #reader: KeepingReader = new KeepingReader(new Uint8Array());

  /** With `asV3`, an Any of a v2 type has the "@type" that it is decoded as. */
  constructor(asV3 = false) {
    this.#asV3 = asV3;
  }

  /** Adds "@type" below the top level, where the bytes are the value of an Any. */
  any(typeUrl: string, bytes: Uint8Array, depth: number): unknown {
    const type = findMessageType(typeUrl);
    if (type === undefined) return this.#part(typeUrl, bytes, unknownTypeReason(typeUrl));
    if (depth > maxDepth) return this.#part(typeUrl, bytes, `nested deeper than ${maxDepth} levels`);
    const isV2 = isV2Type(typeUrl);
    if (isV2) {
      this.v2.push({ path: this.#pathText(), typeUrl, readAs: type.fullName.slice(1) });
    }
    const outer = this.#reader;
    let message: Decoded;
    try {
      this.#reader = new KeepingReader(bytes);
      message = type.decode(this.#reader) as unknown as Decoded;
    } catch (strictError) {
      try {
        this.#reader = new LenientReader(bytes);
        message = type.decode(this.#reader) as unknown as Decoded;
      } catch {
        this.#reader = outer;
        return this.#part(typeUrl, bytes, `not a valid ${type.name}: ${messageOf(strictError)}`);
      }
      this.#note(typeUrl, bytes, 'text that is not UTF-8 is shown with replacement characters');
    }
    const outerEntries = this.#entries;
    const found = this.#reader.keptAll ? undefined : findEntryUnknown(type, bytes, this.#wholePath());
    this.#entries = new Map(found?.byPath);
    const json = this.#message(type, message, depth);
    if (found?.isCut || this.#entries.size > 0) this.#note(typeUrl, bytes, lostEntries);
    this.#reader = outer;
    this.#entries = outerEntries;
    if (depth === 0) return json;
    const shownUrl = isV2 && this.#asV3 ? `type.googleapis.com/${type.fullName.slice(1)}` : typeUrl;
    if (planOf(type).special === undefined) return { '@type': shownUrl, ...(json as JsonObject) };
    return { '@type': shownUrl, value: json };
  }

  #message(type: protobuf.Type, message: Decoded, depth: number): unknown {
    const { special, byName, byNumber } = planOf(type);
    if (special !== undefined) return this.#special(special, type, message, depth);
    if (depth > maxDepth) {
      const bytes = type.encode(message).finish();
      return this.#part(type.fullName.slice(1), bytes, `nested deeper than ${maxDepth} levels`);
    }
    const json: JsonObject = {};
    // Types have up to a hundred fields, and messages a few, so that only present fields are visited.
    const present: FieldPlan[] = [];
    let isSorted = true;
    for (const name of Object.keys(message)) {
      const field = byName.get(name);
      if (field === undefined) continue;
      if (present.length > 0 && (present[present.length - 1]?.order ?? 0) > field.order) isSorted = false;
      present.push(field);
    }
    if (!isSorted) present.sort(by(({ order }) => order));
    for (const field of present) {
      const value = message[field.name];
      if (value === null || value === undefined) continue;
      this.#path.push(field.step);
      const shown = this.#field(field, value, depth);
      if (shown !== undefined) json[field.jsonName] = shown;
      this.#path.pop();
    }
    const unknown = this.#unknownOf(message, byNumber);
    if (unknown !== undefined) json['xdscope.unknown'] = unknown;
    return json;
  }

  #field(field: FieldPlan, value: unknown, depth: number): unknown {
    if (field.shape === 'single') return this.#single(field, value, depth);
    if (field.shape === 'list') {
      const items = value as readonly unknown[];
      if (items.length === 0) return undefined;
      if (field.type === undefined) return items.map((item) => this.#single(field, item, depth));
      return items.map((item, index) => this.#inside(index, field, item, depth));
    }
    const json: JsonObject = {};
    for (const [key, item] of Object.entries(value as JsonObject)) {
      const shown = this.#inside(`["${key}"]`, field, item, depth);
      // A plain assignment to "__proto__" would set the prototype.
      if (key === '__proto__') {
        Object.defineProperty(json, key, {
          value: shown,
          enumerable: true,
          writable: true,
          configurable: true,
        });
      } else json[isLong(field.keyType) ? longKey(key, field.keyType) : key] = shown;
    }
    return Object.keys(json).length === 0 ? undefined : json;
  }

  #inside(step: string | number, field: FieldPlan, value: unknown, depth: number): unknown {
    this.#path.push(step);
    const shown = this.#single(field, value, depth);
    this.#path.pop();
    return shown;
  }

  #single({ type, enumType, scalar }: FieldPlan, value: unknown, depth: number): unknown {
    if (type !== undefined) return this.#message(type, value as Decoded, depth + 1);
    if (enumType !== undefined) {
      if (enumType.name === 'NullValue' && value === 0) return null;
      return enumType.valuesById[value as number] ?? value;
    }
    return writeScalar(scalar, value);
  }

  #special(special: SpecialJson, type: protobuf.Type, message: Decoded, depth: number): unknown {
    if (special === 'any') return this.#anyMessage(message, depth);
    const hasMore =
      message.$unknowns !== undefined || (this.#entries.size > 0 && this.#entries.has(this.#wholePath()));
    if (hasMore || depth > maxDepth * 3) return this.#plain(type, message, depth);
    switch (special) {
      case 'wrapper':
        return writeScalar(planOf(type).byName.get('value')?.scalar ?? 'string', message.value);
      case 'text': {
        const text = formatText(type, message);
        if (text.ok) return text.json;
        this.#note(type.fullName.slice(1), type.encode(message).finish(), text.reason);
        return this.#plain(type, message, depth);
      }
      case 'list':
        return (message.values as readonly Decoded[]).map((item) => this.#value(item, depth + 1));
      case 'struct': {
        const fields = message.fields as Readonly<Record<string, Decoded>>;
        if (Object.hasOwn(fields, 'xdscope.plain')) return this.#plain(type, message, depth);
        return Object.fromEntries(
          Object.entries(fields).map(([key, item]) => [key, this.#value(item, depth + 1)]),
        );
      }
      case 'value':
        return this.#value(message, depth);
    }
  }

  #value(message: Decoded, depth: number): unknown {
    const type = messageType('google.protobuf.Value');
    const kind = Object.keys(message)[0];
    const held = kind === undefined ? undefined : message[kind];
    const isNumber = typeof held === 'number' && kind === 'numberValue';
    if (message.$unknowns !== undefined || kind === undefined || (isNumber && !Number.isFinite(held))) {
      return this.#plain(type, message, depth);
    }
    if (kind === 'nullValue') return held === 0 ? null : this.#plain(type, message, depth);
    const inner = planOf(type).byName.get(kind)?.type;
    return inner === undefined ? held : this.#message(inner, held as Decoded, depth + 1);
  }

  #anyMessage(message: Decoded, depth: number): unknown {
    const { type_url: url, value } = message as { type_url?: string; value?: Uint8Array };
    const bytes = value?.length ? value : new Uint8Array();
    const json = url || bytes.length > 0 ? (this.any(url ?? '', bytes, depth + 1) as JsonObject) : {};
    const unknown = this.#unknownOf(message);
    return unknown === undefined ? json : { '@type': '', ...json, 'xdscope.anyUnknown': unknown };
  }

  /** Writes a type with a special JSON form as its fields, for a value that the form cannot represent. */
  #plain(type: protobuf.Type, message: Decoded, depth: number): unknown {
    if (depth > maxDepth * 3) {
      const bytes = type.encode(message).finish();
      return this.#part(type.fullName.slice(1), bytes, `nested deeper than ${maxDepth} levels`);
    }
    const json: JsonObject = {};
    for (const field of planOf(type).byName.values()) {
      if (!Object.hasOwn(message, field.name)) continue;
      const shown = this.#field(field, message[field.name], depth);
      if (shown !== undefined) json[field.jsonName] = shown;
    }
    if (/^(Struct|Value|ListValue)$/.test(type.name)) json['xdscope.plain'] = type.name;
    const unknown = this.#unknownOf(message, planOf(type).byNumber);
    return unknown === undefined ? json : { ...json, 'xdscope.unknown': unknown };
  }

  #unknownOf(
    { $unknowns: kept }: Decoded,
    byNumber: ReadonlyMap<number, FieldPlan> = noFields,
  ): UnknownField[] | undefined {
    const inEntries = this.#unknownInEntries(byNumber);
    if (kept === undefined) return inEntries.length === 0 ? undefined : inEntries;
    const described = describeUnknownFields(kept, (raw) => this.#reader.nextField(raw));
    this.#list(described, this.#pathText());
    return [...described.map(({ unknown }) => unknown), ...inEntries];
  }

  #unknownInEntries(byNumber: ReadonlyMap<number, FieldPlan>): UnknownField[] {
    if (this.#entries.size === 0) return [];
    const here = this.#wholePath();
    const entries = this.#entries.get(here) ?? [];
    this.#entries.delete(here);
    return entries.flatMap(({ field, key, kept }) => {
      const before = new Map(kept.map((each) => [each.raw, each.before]));
      const raws = kept.map(({ raw }) => raw);
      const described = describeUnknownFields(raws, (raw) => before.get(raw) ?? 0);
      this.#path.push(`.${byNumber.get(field)?.name ?? ''}["${key}"]`);
      this.#list(described, this.#pathText());
      this.#path.pop();
      return described.map(({ unknown }) => ({ ...unknown, entryOf: { field, key } }));
    });
  }

  #list(described: readonly DescribedField[], path: string): void {
    for (const { unknown, hash } of described) {
      const { field, wireType, sizeBytes } = unknown;
      this.unknown.push({ path, field, wireType, sizeBytes, hash });
    }
  }

  #part(typeUrl: string, bytes: Uint8Array, reason: string): JsonObject {
    const { hash, sizeBytes } = this.#note(typeUrl, bytes, reason);
    const valueBase64 = base64Of(bytes);
    return { '@type': typeUrl, 'xdscope.opaque': { reason, sizeBytes, sha256: hash, valueBase64 } };
  }

  #note(typeUrl: string, bytes: Uint8Array, reason: string): OpaquePart {
    const part = { path: this.#pathText(), typeUrl, sizeBytes: bytes.length, hash: sha256(bytes), reason };
    this.opaque.push(part);
    return part;
  }

  #wholePath(): string {
    return this.#path.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join('');
  }

  #pathText(): string {
    const text = this.#wholePath();
    return text.startsWith('.') ? text.slice(1) : text;
  }
}

type TextJson =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly reason: string };

/** Formats a Duration, Timestamp or FieldMask if its text is lossless. */
function formatText(type: protobuf.Type, message: Decoded): TextJson {
  try {
    const json: unknown = protojson.toJson(type, message);
    if (type.name !== 'FieldMask') return { ok: true, json };
    const again = type.encode(protojson.fromJson(type, json)).finish();
    if (base64Of(again) === base64Of(type.encode(message).finish())) return { ok: true, json };
    return { ok: false, reason: 'these names of fields cannot be written as one text' };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

function writeScalar(scalar: string, value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) && !isLong(scalar) ? value : String(value);
  if (scalar === 'ip') return formatIpBytes(value as Uint8Array) ?? base64Of(value as Uint8Array);
  if (scalar === 'bytes') return base64Of(value as Uint8Array);
  // protobufjs represents a 64-bit integer as an object.
  return typeof value === 'object' ? String(value) : value;
}

function isLong(scalar: string): boolean {
  return scalar.endsWith('64');
}

/** protobufjs uses the eight bytes of a 64-bit integer as the key of a map. */
function longKey(key: string, keyType: string): string {
  if (key.length !== 8 || /^-?\d+$/.test(key)) return key;
  const bytes = Buffer.from(key, 'latin1');
  return String(
    keyType.startsWith('u') || keyType === 'fixed64' ? bytes.readBigUInt64LE() : bytes.readBigInt64LE(),
  );
}
