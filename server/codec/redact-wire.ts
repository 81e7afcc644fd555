import { isUtf8 } from 'node:buffer';
import type protobuf from 'protobufjs';
import { fullNameOf } from './full-name';
import { isRedactionMarkerBytes, type RedactionMarker } from './redaction-marker';
import { findMessageType } from './root';
import { isSecretName } from './secret-name';
import { isPrivateKeyMember } from './secrets/key-members';
import { isControl, maskInPlace } from './secrets/mask-in-place';
import type { Mark } from './secrets/placeholder';
import { redactText } from './secrets/redact-text';
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
import { textAt } from './text-at';
import { encodeVarint, WireCursor } from './wire-cursor';

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
  const redacted: string[] = [];
  const redactor = new Redactor(marker, redacted, byNames, byValues);
  const changed = redactor.message(type, bytes, 0, bytes.length, false, 0);
  return { bytes: changed ?? bytes, redacted };
}

/** New bytes of a value, or undefined when nothing in it changed. */
type Changed = Uint8Array | undefined;

class Redactor {
  constructor(
    private readonly marker: RedactionMarker,
    /** Paths so far. Written from the inside out: a parent puts its own name before what its child added. */
    private readonly redacted: string[],
    /** False when the bytes hold no word that could name a secret or a type with secrets. */
    private readonly byNames: boolean,
    /** Any text in the message that is walked may have a secret in it. */
    private byValues: boolean,
  ) {}

  private readonly mark: Mark = (secret) => this.marker(Buffer.from(secret));

  /** `secret`: all of it is below a sensitive field. */
  message(
    type: protobuf.Type,
    bytes: Uint8Array,
    start: number,
    end: number,
    secret: boolean,
    depth: number,
  ): Changed {
    const around = this.byValues;
    this.byValues = around && mayHoldSecretValue(bytes, start, end);
    const changed = this.messageOf(type, bytes, start, end, secret, depth);
    this.byValues = around;
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
    if (!secret && !this.byValues && !(this.byNames ? canHoldSecrets(type) : holdsSecretsBySchema(type))) {
      return undefined;
    }
    if (depth > maxDepth) return this.replace(bytes.subarray(start, end));
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
    const plan = secret || this.byValues ? type.fieldsById : undefined;
    const mattering = fieldsThatMatter(type, this.byNames);
    const cursor = new WireCursor(bytes, start, end);
    const rewrite = new Rewrite(bytes, start);
    const counts = new Map<number, number>();
    /** The element before, of a repeated field: it may be "--password". */
    let argument: { readonly number: number; readonly text: string } | undefined;
    while (cursor.next()) {
      const field = plan === undefined ? mattering.get(cursor.number) : plan[cursor.number];
      if (field === undefined) {
        // An unknown field of a secret message: nobody can say what is in it.
        if (cursor.wireType === 2)
          this.note(
            `#${cursor.number}`,
            rewrite,
            cursor,
            secret ? this.replaceValue(cursor) : this.unknown(cursor),
          );
        else if (cursor.wireType === 3) this.group(rewrite, cursor);
        continue;
      }
      const index = field.repeated ? (counts.get(field.id) ?? 0) : undefined;
      if (index !== undefined) counts.set(field.id, index + 1);
      if (cursor.wireType === 3) this.group(rewrite, cursor);
      if (cursor.wireType !== 2) continue;
      const before = this.redacted.length;
      const isArgument =
        argument !== undefined && argument.number === cursor.number && isSecretOption(argument.text);
      const changed = this.field(field, cursor, secret || isArgument || isSensitiveField(field), depth);
      argument =
        this.byValues && field.repeated ? { number: cursor.number, text: shortText(cursor) } : undefined;
      if (changed === undefined) continue;
      rewrite.replaceValue(cursor, changed);
      this.prefix(before, index === undefined ? field.name : `${field.name}[${index}]`);
    }
    // The rest is no protobuf. Where a secret may be in it, it goes.
    if (cursor.malformed && (secret || type.fieldsArray.some(isSensitiveField))) {
      this.redacted.push('(malformed rest)');
      rewrite.replaceRest(cursor.fieldStart, this.markerBytes(bytes.subarray(cursor.fieldStart, end)));
    } else if (cursor.malformed && this.byValues) {
      const rest = bytes.subarray(cursor.fieldStart, end);
      const masked = maskInPlace(rest, this.mark);
      if (masked !== rest) {
        this.redacted.push('(malformed rest)');
        rewrite.replaceRest(cursor.fieldStart, masked);
      }
    }
    return rewrite.finish(end);
  }

  private field(field: protobuf.Field, cursor: WireCursor, secret: boolean, depth: number): Changed {
    if (field.map) return this.mapEntry(field, cursor, secret, depth);
    const type = typeOfField(field);
    if (type !== undefined) {
      return this.message(type, cursor.bytes, cursor.valueStart, cursor.fieldEnd, secret, depth + 1);
    }
    if (field.type !== 'string' && field.type !== 'bytes') return undefined;
    if (secret) return this.replaceValue(cursor);
    return isHexText(field) ? this.hexText(cursor) : this.text(cursor);
  }

  /** Text in which a part may be secret. Bytes that are no text keep their length, since a message may be in them. */
  private text(cursor: WireCursor): Changed {
    const { bytes, valueStart, fieldEnd } = cursor;
    if (!this.byValues || !mayHoldSecretValue(bytes, valueStart, fieldEnd)) return undefined;
    const value = bytes.subarray(valueStart, fieldEnd);
    if (value.some(isControl) || !isUtf8(value)) return this.unknown(cursor);
    const text = textAt(bytes, valueStart, fieldEnd);
    const masked = redactText(text, this.mark);
    if (masked === text) return undefined;
    this.redacted.push('');
    return Buffer.from(masked);
  }

  /** Bytes in hexadecimal: what is sent as a health check. */
  private hexText(cursor: WireCursor): Changed {
    const hex = textAt(cursor.bytes, cursor.valueStart, cursor.fieldEnd);
    const text = Buffer.from(hex, 'hex').toString('latin1');
    const masked = redactText(text, (secret) => this.marker(Buffer.from(secret, 'latin1')));
    if (masked === text) return this.text(cursor);
    this.redacted.push('');
    return Buffer.from(Buffer.from(masked, 'latin1').toString('hex'));
  }

  /** What no schema describes keeps its length. */
  private unknown(cursor: WireCursor): Changed {
    if (!this.byValues) return undefined;
    const value = cursor.bytes.subarray(cursor.valueStart, cursor.fieldEnd);
    const masked = maskInPlace(value, this.mark);
    if (masked === value) return undefined;
    this.redacted.push('');
    return masked;
  }

  private group(rewrite: Rewrite, cursor: WireCursor): void {
    if (!this.byValues) return;
    const group = cursor.bytes.subarray(cursor.fieldStart, cursor.fieldEnd);
    const masked = maskInPlace(group, this.mark);
    if (masked === group) return;
    this.redacted.push(`#${cursor.number}`);
    rewrite.replaceBytes(cursor, masked);
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
      return hidden ? this.replaceValue(value) : this.text(value);
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
      secret ? this.replaceValue(value) : this.unknown(value),
    );
    const any = changed ?? bytes.subarray(start, end);
    return this.eachValue(any, 0, any.length, 1, 'typeUrl', (typeUrl) => this.text(typeUrl)) ?? changed;
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
    const value = this.eachValue(bytes, start, end, 2, 'value', (cursor) => this.replaceValue(cursor));
    const whole = value ?? bytes.subarray(start, end);
    return (
      this.eachValue(whole, 0, whole.length, 3, 'rawValue', (cursor) => this.replaceValue(cursor)) ?? value
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
    if (depth > maxDepth) return this.replace(bytes.subarray(start, end));
    const isKey = this.byValues && findEntry(bytes, start, end, 'kty');
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
    if (depth > maxDepth) return this.replace(bytes.subarray(start, end));
    const cursor = new WireCursor(bytes, start, end);
    const rewrite = new Rewrite(bytes, start);
    while (cursor.next()) {
      const { valueStart, fieldEnd } = cursor;
      let changed: Changed;
      if (cursor.number === 2 && cursor.wireType === 1 && secret) {
        // A PIN is a number: it becomes a string_value.
        const marker = this.replace(bytes.subarray(valueStart, fieldEnd));
        if (marker !== undefined) rewrite.replaceField(cursor, 3, marker);
        continue;
      }
      if (cursor.wireType !== 2) continue;
      if (cursor.number === 3) changed = secret ? this.replaceValue(cursor) : this.text(cursor);
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
    const rewrite = new Rewrite(bytes, start);
    while (cursor.next()) {
      if (cursor.number !== 1 || cursor.wireType !== 2) continue;
      const before = this.redacted.length;
      const hidden = secret || isSecretOption(argument);
      const changed = this.value(schema, bytes, cursor.valueStart, cursor.fieldEnd, hidden, depth + 1);
      argument = this.byValues ? findText(bytes, cursor.valueStart, cursor.fieldEnd, 3) : '';
      if (changed !== undefined) rewrite.replaceValue(cursor, changed);
      this.prefix(before, `[${index++}]`);
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
    const rewrite = new Rewrite(bytes, start);
    while (cursor.next()) {
      if (cursor.number !== fieldNumber || cursor.wireType !== 2) continue;
      const before = this.redacted.length;
      const changed = change(cursor);
      if (changed === undefined) continue;
      rewrite.replaceValue(cursor, changed);
      if (name !== '') this.prefix(before, name);
    }
    return rewrite.finish(end);
  }

  private note(name: string, rewrite: Rewrite, cursor: WireCursor, changed: Changed): void {
    if (changed === undefined) return;
    rewrite.replaceValue(cursor, changed);
    this.prefix(this.redacted.length - 1, name);
  }

  private replaceValue(cursor: WireCursor): Changed {
    return this.replace(cursor.bytes.subarray(cursor.valueStart, cursor.fieldEnd));
  }

  private replace(secret: Uint8Array): Changed {
    if (secret.length === 0 || isRedactionMarkerBytes(secret)) return undefined;
    this.redacted.push('');
    return this.markerBytes(secret);
  }

  private markerBytes(secret: Uint8Array): Uint8Array {
    return Buffer.from(this.marker(secret), 'latin1');
  }

  private prefix(from: number, name: string): void {
    for (let index = from; index < this.redacted.length; index++) {
      const below = this.redacted[index] ?? '';
      this.redacted[index] =
        below === '' ? name : below.startsWith('[') ? `${name}${below}` : `${name}.${below}`;
    }
  }
}

/** Copies a range of bytes with some fields replaced; allocates nothing until the first replacement. */
class Rewrite {
  private parts: Uint8Array[] | undefined;
  private copiedTo: number;

  constructor(
    private readonly bytes: Uint8Array,
    start: number,
  ) {
    this.copiedTo = start;
  }

  /** Keeps the tag. A field that was cut short stays exactly as much too short. */
  replaceValue(cursor: WireCursor, value: Uint8Array): void {
    this.replaceField(cursor, cursor.number, value);
  }

  replaceField(cursor: WireCursor, number: number, value: Uint8Array): void {
    this.parts ??= [];
    this.parts.push(
      this.bytes.subarray(this.copiedTo, cursor.fieldStart),
      encodeVarint(number * 8 + 2),
      encodeVarint(value.length + cursor.missingBytes),
      value,
    );
    this.copiedTo = cursor.fieldEnd;
  }

  /** Of the same length, tag included. */
  replaceBytes(cursor: WireCursor, bytes: Uint8Array): void {
    this.parts ??= [];
    this.parts.push(this.bytes.subarray(this.copiedTo, cursor.fieldStart), bytes);
    this.copiedTo = cursor.fieldEnd;
  }

  replaceRest(from: number, rest: Uint8Array): void {
    this.parts ??= [];
    this.parts.push(this.bytes.subarray(this.copiedTo, from), rest);
    this.copiedTo = Number.POSITIVE_INFINITY;
  }

  finish(end: number): Changed {
    if (this.parts === undefined) return undefined;
    if (this.copiedTo < end) this.parts.push(this.bytes.subarray(this.copiedTo, end));
    return Buffer.concat(this.parts);
  }
}

/** "--password": what follows it in a list is the secret. */
function isSecretOption(text: string): boolean {
  return text.startsWith('--') && !/[=\s]/.test(text) && isSecretName(text);
}

function shortText({ bytes, valueStart, fieldEnd }: WireCursor): string {
  return fieldEnd - valueStart > 100 ? '' : textAt(bytes, valueStart, fieldEnd);
}

/** Has a Struct an entry of this name? */
function findEntry(bytes: Uint8Array, start: number, end: number, name: string): boolean {
  const cursor = new WireCursor(bytes, start, end);
  while (cursor.next()) {
    const isEntry = cursor.number === 1 && cursor.wireType === 2;
    if (isEntry && findText(bytes, cursor.valueStart, cursor.fieldEnd, 1) === name) return true;
  }
  return false;
}

/** The last string with this field number, as protobuf's decoders take it; '' when there is none. */
function findText(bytes: Uint8Array, start: number, end: number, fieldNumber: number): string {
  const cursor = new WireCursor(bytes, start, end);
  let text = '';
  while (cursor.next()) {
    if (cursor.number !== fieldNumber || cursor.wireType !== 2) continue;
    text = textAt(bytes, cursor.valueStart, cursor.fieldEnd);
  }
  return text;
}

function findFieldByJsonKey(type: protobuf.Type, key: string): protobuf.Field | undefined {
  return type.fieldsArray.find(
    (field) =>
      field.name === key || field.name === key.replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase()),
  );
}
