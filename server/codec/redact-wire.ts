import type protobuf from 'protobufjs';
import type { RedactionMarker } from './redaction-marker';
import { findMessageType } from './root';
import {
  classifyName,
  isNamedSecret,
  isNameField,
  isPrivateKeyMember,
  isSecretOption,
  isValueField,
  looksSecret,
  type SecretName,
} from './secret-name';
import { mayHoldSecretValue } from './secrets/trigger-scan';
import {
  canHoldSecrets,
  fieldsThatMatter,
  findPair,
  fullNameOf,
  holdsSecretsBySchema,
  isHexText,
  isNamedTextMap,
  isSensitiveField,
  mayNameSecrets,
  typeOfField,
} from './sensitive-types';
import { spanOf, WireCursor, type WireSpan } from './wire-cursor';
import { type Changed, WireMasks } from './wire-masks';
import { WireRewrite } from './wire-rewrite';
import { findEntry, findText, shortText } from './wire-text';

export interface RedactedBytes {
  /** The same array if it contains no secret. */
  readonly bytes: Uint8Array;
  /** JSON paths of the redacted values, such as "tlsCertificate.privateKey.inlineString". */
  readonly redacted: readonly string[];
}

/** The nesting limit of protobuf. A deeper message cannot be decoded, and is redacted as a whole. */
const maxDepth = 100;

/**
 * Replaces every secret of a message on the wire by a marker, recognised by the name of its field or by its value. All
 * other bytes stay as they are, unknown fields and malformed parts included. A truncated message is redacted up to its
 * end.
 */
export function redactWire(type: protobuf.Type, bytes: Uint8Array, marker: RedactionMarker): RedactedBytes {
  const byValues = mayHoldSecretValue(bytes);
  const byNames = canHoldSecrets(type) && mayNameSecrets(bytes);
  if (!byValues && !byNames && !holdsSecretsBySchema(type)) return { bytes, redacted: [] };
  const masks = new WireMasks(marker, byValues);
  const changed = new WireRedactor(masks, byNames).message(type, spanOf(bytes), false, 0);
  return { bytes: changed ?? bytes, redacted: masks.redacted };
}

/**
 * Reads a message by its type, and decides by the names of fields which values are masked as a whole. In all methods,
 * `secret` is true below a sensitive field, where every value is masked.
 */
class WireRedactor {
  readonly #masks: WireMasks;
  readonly #byNames: boolean;

  constructor(
    masks: WireMasks,
    /** False if the bytes contain no word that could name a secret or a type with secrets. */
    byNames: boolean,
  ) {
    this.#masks = masks;
    this.#byNames = byNames;
  }

  message(type: protobuf.Type, span: WireSpan, secret: boolean, depth: number): Changed {
    const masks = this.#masks;
    const around = masks.byValues;
    masks.byValues = around && mayHoldSecretValue(span.bytes, span.valueStart, span.fieldEnd);
    const mayHold = this.#byNames ? canHoldSecrets : holdsSecretsBySchema;
    const isWalked = secret || masks.byValues || mayHold(type);
    const changed = isWalked ? this.#walk(type, span, secret, depth) : undefined;
    masks.byValues = around;
    return changed;
  }

  #walk(type: protobuf.Type, span: WireSpan, secret: boolean, depth: number): Changed {
    if (depth > maxDepth) return this.#masks.replaceValue(span);
    switch (fullNameOf(type)) {
      case '.google.protobuf.Any':
        return this.#any(span, secret, depth);
      case '.google.protobuf.Struct':
        return this.#struct(undefined, span, secret, depth);
      case '.google.protobuf.Value':
        return this.#value(undefined, span, secret, depth);
      case '.google.protobuf.ListValue':
        return this.#list(undefined, span, secret, depth);
      case '.xds.type.v3.TypedStruct':
      case '.udpa.type.v1.TypedStruct': {
        const schema = findMessageType(findText(span, 1));
        return this.#eachValue(span, typedStructFields, (value) =>
          this.#struct(schema, value, secret, depth + 1),
        );
      }
      case '.envoy.type.matcher.v3.RegexMatcher':
        // The pattern of a secret header mostly matches every value.
        return this.#fields(type, span, false, depth);
      default:
        return this.#fields(type, span, secret, depth);
    }
  }

  #fields(type: protobuf.Type, span: WireSpan, secret: boolean, depth: number): Changed {
    const masks = this.#masks;
    const plan = secret || masks.byValues ? type.fieldsById : undefined;
    const mattering = fieldsThatMatter(type, this.#byNames);
    const cursor = WireCursor.within(span);
    const rewrite = new WireRewrite(span);
    const counts = new Map<number, number>();
    const pair = this.#byNames ? findPair(type) : undefined;
    const named = pair === undefined ? undefined : classifyName(findText(span, pair.name.id));
    /** The previous element of a repeated field, which may be an option such as "--password". */
    let argument: { readonly number: number; readonly text: string } | undefined;
    while (cursor.next()) {
      const field = plan === undefined ? mattering.get(cursor.number) : plan[cursor.number];
      if (field === undefined) {
        if (cursor.wireType === 2) {
          const changed = secret ? masks.replaceValue(cursor) : masks.unknown(cursor);
          masks.note(`#${cursor.number}`, rewrite, cursor, changed);
        } else if (cursor.wireType === 3) masks.group(rewrite, cursor);
        continue;
      }
      const index = field.repeated ? (counts.get(field.id) ?? 0) : undefined;
      if (index !== undefined) counts.set(field.id, index + 1);
      if (cursor.wireType === 3) masks.group(rewrite, cursor);
      if (cursor.wireType !== 2) continue;
      const before = masks.redacted.length;
      const isArgument = argument?.number === cursor.number && isSecretOption(argument.text);
      const isPaired = pair?.values.has(field.id) === true && isNamed(named, cursor, field);
      const hidden = secret || isArgument || isPaired || isSensitiveField(field);
      const changed = this.#field(field, cursor, hidden, depth);
      argument =
        masks.byValues && field.repeated ? { number: cursor.number, text: shortText(cursor) } : undefined;
      if (changed === undefined) continue;
      rewrite.replaceValue(cursor, changed);
      masks.prefix(before, index === undefined ? field.name : `${field.name}[${index}]`);
    }
    // A malformed remainder may contain the secret of any sensitive field.
    if (cursor.malformed) masks.rest(rewrite, cursor, secret || type.fieldsArray.some(isSensitiveField));
    return rewrite.finish();
  }

  #field(field: protobuf.Field, value: WireSpan, secret: boolean, depth: number): Changed {
    if (field.map) return this.#mapEntry(field, value, secret, depth);
    const type = typeOfField(field);
    if (type !== undefined) return this.message(type, value, secret, depth + 1);
    if (field.type !== 'string' && field.type !== 'bytes') return undefined;
    if (secret) return this.#masks.replaceValue(value);
    return isHexText(field) ? this.#masks.hexText(value) : this.#masks.text(value);
  }

  /** A map's entry is a message {key = 1, value = 2}. Keys are names, and are kept. */
  #mapEntry(field: protobuf.Field, entry: WireSpan, secret: boolean, depth: number): Changed {
    const type = typeOfField(field);
    const key = findText(entry, 1);
    const hidden = secret || (isNamedTextMap(field) && isNamedSecret(key, findText(entry, 2)));
    return this.#eachValue(entry, [undefined, undefined, key], (value) => {
      if (type !== undefined) return this.message(type, value, hidden, depth + 1);
      return hidden ? this.#masks.replaceValue(value) : this.#masks.text(value);
    });
  }

  /** In a message of an unknown type, secrets are recognised by their values only. */
  #any(span: WireSpan, secret: boolean, depth: number): Changed {
    const type = findMessageType(findText(span, 1));
    if (type !== undefined) {
      return this.#eachValue(span, anyFields, (value) => this.message(type, value, secret, depth + 1));
    }
    return this.#eachValue(span, unknownAnyFields, (value) => {
      if (value.number === 1) return this.#masks.text(value);
      return secret ? this.#masks.replaceValue(value) : this.#masks.unknown(value);
    });
  }

  /** `schema` is the message type that the Struct represents, if it is known. Its annotations apply to the keys. */
  #struct(schema: protobuf.Type | undefined, span: WireSpan, secret: boolean, depth: number): Changed {
    if (depth > maxDepth) return this.#masks.replaceValue(span);
    const isKey = this.#masks.byValues && findEntry(span, 'kty');
    const names = this.#byNames ? findNames(span) : [];
    return this.#eachValue(span, structFields, (entry) => {
      const key = findText(entry, 1);
      const field = schema === undefined ? undefined : findFieldByJsonKey(schema, key);
      const isMarked =
        field === undefined
          ? [key, ...(isValueField(key) ? names : [])].some((name) => isNamedEntry(name, entry))
          : isSensitiveField(field);
      const hidden = secret || isMarked || (isKey && isPrivateKeyMember(key));
      const inner = field === undefined ? undefined : typeOfField(field);
      return this.#eachValue(entry, [undefined, undefined, key], (value) =>
        this.#value(inner, value, hidden, depth + 1),
      );
    });
  }

  /** The fields of google.protobuf.Value are {null 1, number 2, string 3, bool 4, struct 5, list 6}. */
  #value(schema: protobuf.Type | undefined, span: WireSpan, secret: boolean, depth: number): Changed {
    if (depth > maxDepth) return this.#masks.replaceValue(span);
    const cursor = WireCursor.within(span);
    const rewrite = new WireRewrite(span);
    while (cursor.next()) {
      let changed: Changed;
      if (cursor.number === 2 && cursor.wireType === 1 && secret) {
        // A secret number (such as a PIN) becomes a string_value.
        const marker = this.#masks.replaceValue(cursor);
        if (marker !== undefined) rewrite.replaceField(cursor, 3, marker);
        continue;
      }
      if (cursor.wireType !== 2) continue;
      if (cursor.number === 3) changed = secret ? this.#masks.replaceValue(cursor) : this.#masks.text(cursor);
      else if (cursor.number === 5) changed = this.#struct(schema, cursor, secret, depth + 1);
      else if (cursor.number === 6) changed = this.#list(schema, cursor, secret, depth + 1);
      if (changed !== undefined) rewrite.replaceValue(cursor, changed);
    }
    return rewrite.finish();
  }

  #list(schema: protobuf.Type | undefined, span: WireSpan, secret: boolean, depth: number): Changed {
    let index = 0;
    let argument = '';
    const cursor = WireCursor.within(span);
    const rewrite = new WireRewrite(span);
    while (cursor.next()) {
      if (cursor.number !== 1 || cursor.wireType !== 2) continue;
      const before = this.#masks.redacted.length;
      const changed = this.#value(schema, cursor, secret || isSecretOption(argument), depth + 1);
      argument = this.#masks.byValues ? findText(cursor, 3) : '';
      if (changed !== undefined) rewrite.replaceValue(cursor, changed);
      this.#masks.prefix(before, `[${index++}]`);
    }
    return rewrite.finish();
  }

  /**
   * Replaces the length-delimited fields whose number has a name in `names` by the results of `change`. The name
   * becomes part of the JSON path, unless it is empty.
   */
  #eachValue(
    span: WireSpan,
    names: readonly (string | undefined)[],
    change: (value: WireCursor) => Changed,
  ): Changed {
    const cursor = WireCursor.within(span);
    const rewrite = new WireRewrite(span);
    while (cursor.next()) {
      const name = names[cursor.number];
      if (name === undefined || cursor.wireType !== 2) continue;
      const before = this.#masks.redacted.length;
      const changed = change(cursor);
      if (changed === undefined) continue;
      rewrite.replaceValue(cursor, changed);
      if (name !== '') this.#masks.prefix(before, name);
    }
    return rewrite.finish();
  }
}

/** Names by field number, for eachValue(). */
const structFields = [undefined, ''];
const anyFields = [undefined, undefined, ''];
const unknownAnyFields = [undefined, 'typeUrl', ''];
const typedStructFields = [undefined, undefined, 'value'];

function findFieldByJsonKey(type: protobuf.Type, key: string): protobuf.Field | undefined {
  const name = key.replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase());
  return type.fieldsArray.find((field) => field.name === key || field.name === name);
}

/** Returns whether the value of a pair is secret. A message, or bytes, below an ambiguous name is not. */
function isNamed(name: SecretName, value: WireSpan, { type }: protobuf.Field): boolean {
  if (name !== 'weak') return name === 'strong';
  return type === 'string' && looksSecret(shortText(value));
}

/** The texts of a Struct that can name another of its entries. */
function findNames(struct: WireSpan): string[] {
  const names: string[] = [];
  const cursor = WireCursor.within(struct);
  while (cursor.next()) {
    if (cursor.number === 1 && cursor.wireType === 2 && isNameField(findText(cursor, 1)))
      names.push(textOfEntry(cursor));
  }
  return names;
}

/** The string_value of an entry of a Struct; empty if it has another value. */
function textOfEntry(entry: WireSpan): string {
  const cursor = WireCursor.within(entry);
  while (cursor.next()) if (cursor.number === 2 && cursor.wireType === 2) return findText(cursor, 3);
  return '';
}

function isNamedEntry(name: string, entry: WireSpan): boolean {
  const kind = classifyName(name);
  return kind === 'strong' || (kind === 'weak' && looksSecret(textOfEntry(entry)));
}
