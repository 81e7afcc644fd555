import type protobuf from 'protobufjs';
import { findEntry, findText, shortText } from './find-wire-text';
import { fullNameOf } from './full-name';
import type { RedactionMarker } from './redaction-marker';
import { findMessageType } from './root';
import { isSecretName } from './secret-name';
import { isPrivateKeyMember } from './secrets/key-members';
import { mayHoldSecretValue } from './secrets/trigger-scan';
import {
  canHoldSecrets,
  fieldsThatMatter,
  holdsSecretsBySchema,
  isHexText,
  isNamedTextMap,
  isSensitiveField,
  mayNameSecrets,
  typeOfField,
} from './sensitive-types';
import { WireCursor } from './wire-cursor';
import { type Changed, WireMasks } from './wire-masks';
import { WireRewrite } from './wire-rewrite';

export interface RedactedBytes {
  /** The very same array when nothing was secret. */
  readonly bytes: Uint8Array;
  /** JSON paths of what was replaced, as in "tlsCertificate.privateKey.inlineString". */
  readonly redacted: readonly string[];
}

/** protobuf's own limit is 100 levels; what lies deeper cannot be read, and might be anything. */
const maxDepth = 100;

/**
 * Replaces every secret in a message by a marker, on the wire, by the names of fields and by their values: whatever is
 * no secret stays byte for byte as it was, unknown fields and broken parts included. A message that is cut short is redacted as far as it goes.
 */
export function redactWire(type: protobuf.Type, bytes: Uint8Array, marker: RedactionMarker): RedactedBytes {
  const byValues = mayHoldSecretValue(bytes);
  const byNames = canHoldSecrets(type) && mayNameSecrets(bytes);
  if (!byValues && !byNames && !holdsSecretsBySchema(type)) return { bytes, redacted: [] };
  const masks = new WireMasks(marker, byValues);
  const changed = new WireRedactor(masks, byNames).message(type, bytes, 0, bytes.length, false, 0);
  return { bytes: changed ?? bytes, redacted: masks.redacted };
}

/** Walks a message by its type, and decides by the names of fields what is masked as a whole. */
class WireRedactor {
  constructor(
    private readonly masks: WireMasks,
    /** False when the bytes hold no word that could name a secret or a type with secrets. */
    private readonly byNames: boolean,
  ) {}

  /** `secret`: all of it is below a sensitive field. */
  message(
    type: protobuf.Type,
    bytes: Uint8Array,
    start: number,
    end: number,
    secret: boolean,
    depth: number,
  ): Changed {
    const around = this.masks.byValues;
    this.masks.byValues = around && mayHoldSecretValue(bytes, start, end);
    const changed = this.messageOf(type, bytes, start, end, secret, depth);
    this.masks.byValues = around;
    return changed;
  }

  private messageOf(
    type: protobuf.Type,
    bytes: Uint8Array,
    start: number,
    end: number,
    secret: boolean,
    depth: number,
  ): Changed {
    if (
      !secret &&
      !this.masks.byValues &&
      !(this.byNames ? canHoldSecrets(type) : holdsSecretsBySchema(type))
    ) {
      return undefined;
    }
    if (depth > maxDepth) return this.masks.replace(bytes.subarray(start, end));
    switch (fullNameOf(type)) {
      case '.google.protobuf.Any':
        return this.any(bytes, start, end, secret, depth);
      case '.google.protobuf.Struct':
        return this.struct(undefined, bytes, start, end, secret, depth);
      case '.google.protobuf.Value':
        return this.value(undefined, bytes, start, end, secret, depth);
      case '.google.protobuf.ListValue':
        return this.list(undefined, bytes, start, end, secret, depth);
      case '.xds.type.v3.TypedStruct':
      case '.udpa.type.v1.TypedStruct':
        return this.typedStruct(bytes, start, end, secret, depth);
      case '.envoy.config.core.v3.HeaderValue':
        return this.headerValue(type, bytes, start, end, secret, depth);
      default:
        return this.fields(type, bytes, start, end, secret, depth);
    }
  }

  private fields(
    type: protobuf.Type,
    bytes: Uint8Array,
    start: number,
    end: number,
    secret: boolean,
    depth: number,
  ): Changed {
    const plan = secret || this.masks.byValues ? type.fieldsById : undefined;
    const mattering = fieldsThatMatter(type, this.byNames);
    const cursor = new WireCursor(bytes, start, end);
    const rewrite = new WireRewrite(bytes, start);
    const counts = new Map<number, number>();
    /** The element before, of a repeated field: it may be "--password". */
    let argument: { readonly number: number; readonly text: string } | undefined;
    while (cursor.next()) {
      const field = plan === undefined ? mattering.get(cursor.number) : plan[cursor.number];
      if (field === undefined) {
        // An unknown field of a secret message: nobody can say what is in it.
        if (cursor.wireType === 2)
          this.masks.note(
            `#${cursor.number}`,
            rewrite,
            cursor,
            secret ? this.masks.replaceValue(cursor) : this.masks.unknown(cursor),
          );
        else if (cursor.wireType === 3) this.masks.group(rewrite, cursor);
        continue;
      }
      const index = field.repeated ? (counts.get(field.id) ?? 0) : undefined;
      if (index !== undefined) counts.set(field.id, index + 1);
      if (cursor.wireType === 3) this.masks.group(rewrite, cursor);
      if (cursor.wireType !== 2) continue;
      const before = this.masks.redacted.length;
      const isArgument =
        argument !== undefined && argument.number === cursor.number && isSecretOption(argument.text);
      const changed = this.field(field, cursor, secret || isArgument || isSensitiveField(field), depth);
      argument =
        this.masks.byValues && field.repeated
          ? { number: cursor.number, text: shortText(cursor) }
          : undefined;
      if (changed === undefined) continue;
      rewrite.replaceValue(cursor, changed);
      this.masks.prefix(before, index === undefined ? field.name : `${field.name}[${index}]`);
    }
    // The rest is no protobuf. Where a secret may be in it, it goes.
    if (cursor.malformed)
      this.masks.rest(rewrite, cursor, end, secret || type.fieldsArray.some(isSensitiveField));
    return rewrite.finish(end);
  }

  private field(field: protobuf.Field, cursor: WireCursor, secret: boolean, depth: number): Changed {
    if (field.map) return this.mapEntry(field, cursor, secret, depth);
    const type = typeOfField(field);
    if (type !== undefined) {
      return this.message(type, cursor.bytes, cursor.valueStart, cursor.fieldEnd, secret, depth + 1);
    }
    if (field.type !== 'string' && field.type !== 'bytes') return undefined;
    if (secret) return this.masks.replaceValue(cursor);
    return isHexText(field) ? this.masks.hexText(cursor) : this.masks.text(cursor);
  }

  /** A map's entry is a message {key = 1, value = 2}. Keys stay: they are names. */
  private mapEntry(field: protobuf.Field, entry: WireCursor, secret: boolean, depth: number): Changed {
    const type = typeOfField(field);
    const key = findText(entry.bytes, entry.valueStart, entry.fieldEnd, 1);
    const hidden = secret || (isNamedTextMap(field) && isSecretName(key));
    return this.eachValue(entry.bytes, entry.valueStart, entry.fieldEnd, 2, key, (value) => {
      if (type !== undefined) {
        return this.message(type, value.bytes, value.valueStart, value.fieldEnd, hidden, depth + 1);
      }
      return hidden ? this.masks.replaceValue(value) : this.masks.text(value);
    });
  }

  /** What is of an unknown type stays, but for secrets that are recognised by value, unless all of it is below a sensitive field. */
  private any(bytes: Uint8Array, start: number, end: number, secret: boolean, depth: number): Changed {
    const type = findMessageType(findText(bytes, start, end, 1));
    if (type !== undefined) {
      return this.eachValue(bytes, start, end, 2, '', (value) =>
        this.message(type, bytes, value.valueStart, value.fieldEnd, secret, depth + 1),
      );
    }
    const changed = this.eachValue(bytes, start, end, 2, '', (value) =>
      secret ? this.masks.replaceValue(value) : this.masks.unknown(value),
    );
    const any = changed ?? bytes.subarray(start, end);
    return this.eachValue(any, 0, any.length, 1, 'typeUrl', (typeUrl) => this.masks.text(typeUrl)) ?? changed;
  }

  /** A message written as JSON: where its type is known, the type's own annotations hold for the keys. */
  private typedStruct(
    bytes: Uint8Array,
    start: number,
    end: number,
    secret: boolean,
    depth: number,
  ): Changed {
    const type = findMessageType(findText(bytes, start, end, 1));
    return this.eachValue(bytes, start, end, 2, 'value', (value) =>
      this.struct(type, bytes, value.valueStart, value.fieldEnd, secret, depth + 1),
    );
  }

  private headerValue(
    type: protobuf.Type,
    bytes: Uint8Array,
    start: number,
    end: number,
    secret: boolean,
    depth: number,
  ): Changed {
    if (secret) return this.fields(type, bytes, start, end, true, depth);
    if (!isSecretName(findText(bytes, start, end, 1))) {
      return this.fields(type, bytes, start, end, false, depth);
    }
    const value = this.eachValue(bytes, start, end, 2, 'value', (cursor) => this.masks.replaceValue(cursor));
    const whole = value ?? bytes.subarray(start, end);
    return (
      this.eachValue(whole, 0, whole.length, 3, 'rawValue', (cursor) => this.masks.replaceValue(cursor)) ??
      value
    );
  }

  /** `schema`: the message type that this Struct spells, where that is known. */
  private struct(
    schema: protobuf.Type | undefined,
    bytes: Uint8Array,
    start: number,
    end: number,
    secret: boolean,
    depth: number,
  ): Changed {
    if (depth > maxDepth) return this.masks.replace(bytes.subarray(start, end));
    const isKey = this.masks.byValues && findEntry(bytes, start, end, 'kty');
    return this.eachValue(bytes, start, end, 1, '', (entry) => {
      const key = findText(bytes, entry.valueStart, entry.fieldEnd, 1);
      const field = schema === undefined ? undefined : findFieldByJsonKey(schema, key);
      const isNamed = field === undefined ? isSecretName(key) : isSensitiveField(field);
      const hidden = secret || isNamed || (isKey && isPrivateKeyMember(key));
      const inner = field === undefined ? undefined : typeOfField(field);
      return this.eachValue(bytes, entry.valueStart, entry.fieldEnd, 2, key, (value) =>
        this.value(inner, bytes, value.valueStart, value.fieldEnd, hidden, depth + 1),
      );
    });
  }

  /** google.protobuf.Value: {null 1, number 2, string 3, bool 4, struct 5, list 6}. */
  private value(
    schema: protobuf.Type | undefined,
    bytes: Uint8Array,
    start: number,
    end: number,
    secret: boolean,
    depth: number,
  ): Changed {
    if (depth > maxDepth) return this.masks.replace(bytes.subarray(start, end));
    const cursor = new WireCursor(bytes, start, end);
    const rewrite = new WireRewrite(bytes, start);
    while (cursor.next()) {
      const { valueStart, fieldEnd } = cursor;
      let changed: Changed;
      if (cursor.number === 2 && cursor.wireType === 1 && secret) {
        // A PIN is a number: it becomes a string_value.
        const marker = this.masks.replace(bytes.subarray(valueStart, fieldEnd));
        if (marker !== undefined) rewrite.replaceField(cursor, 3, marker);
        continue;
      }
      if (cursor.wireType !== 2) continue;
      if (cursor.number === 3) changed = secret ? this.masks.replaceValue(cursor) : this.masks.text(cursor);
      else if (cursor.number === 5)
        changed = this.struct(schema, bytes, valueStart, fieldEnd, secret, depth + 1);
      else if (cursor.number === 6)
        changed = this.list(schema, bytes, valueStart, fieldEnd, secret, depth + 1);
      if (changed !== undefined) rewrite.replaceValue(cursor, changed);
    }
    return rewrite.finish(end);
  }

  private list(
    schema: protobuf.Type | undefined,
    bytes: Uint8Array,
    start: number,
    end: number,
    secret: boolean,
    depth: number,
  ): Changed {
    let index = 0;
    let argument = '';
    const cursor = new WireCursor(bytes, start, end);
    const rewrite = new WireRewrite(bytes, start);
    while (cursor.next()) {
      if (cursor.number !== 1 || cursor.wireType !== 2) continue;
      const before = this.masks.redacted.length;
      const hidden = secret || isSecretOption(argument);
      const changed = this.value(schema, bytes, cursor.valueStart, cursor.fieldEnd, hidden, depth + 1);
      argument = this.masks.byValues ? findText(bytes, cursor.valueStart, cursor.fieldEnd, 3) : '';
      if (changed !== undefined) rewrite.replaceValue(cursor, changed);
      this.masks.prefix(before, `[${index++}]`);
    }
    return rewrite.finish(end);
  }

  /** Runs over the length-delimited fields of one number and puts what `change` returns in their place. */
  private eachValue(
    bytes: Uint8Array,
    start: number,
    end: number,
    fieldNumber: number,
    name: string,
    change: (value: WireCursor) => Changed,
  ): Changed {
    const cursor = new WireCursor(bytes, start, end);
    const rewrite = new WireRewrite(bytes, start);
    while (cursor.next()) {
      if (cursor.number !== fieldNumber || cursor.wireType !== 2) continue;
      const before = this.masks.redacted.length;
      const changed = change(cursor);
      if (changed === undefined) continue;
      rewrite.replaceValue(cursor, changed);
      if (name !== '') this.masks.prefix(before, name);
    }
    return rewrite.finish(end);
  }
}

/** "--password": what follows it in a list is the secret. */
function isSecretOption(text: string): boolean {
  return text.startsWith('--') && !/[=\s]/.test(text) && isSecretName(text);
}

function findFieldByJsonKey(type: protobuf.Type, key: string): protobuf.Field | undefined {
  return type.fieldsArray.find(
    (field) =>
      field.name === key || field.name === key.replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase()),
  );
}
