import { isUtf8 } from 'node:buffer';
import { isRedactionMarkerBytes, type RedactionMarker } from './redaction-marker';
import { isControl, maskInPlace } from './secrets/mask-in-place';
import type { Mark } from './secrets/placeholder';
import { redactText } from './secrets/redact-text';
import { mayHoldSecretValue } from './secrets/trigger-scan';
import type { WireCursor, WireSpan } from './wire-cursor';
import type { WireRewrite } from './wire-rewrite';
import { textAt } from './wire-text';

/** The new bytes of a value, or undefined if the value contains no secret. */
export type Changed = Uint8Array | undefined;

/** Masks values of a message, either as a whole or only the parts that are recognised as secrets. */
export class WireMasks {
  readonly #marker: RedactionMarker;

  /** JSON paths of the masked values. A path is built from the inside: a parent prefixes the paths of its children. */
  readonly redacted: string[] = [];

  constructor(
    marker: RedactionMarker,
    /** True if the current message may contain a secret that is recognised by its value. */
    public byValues: boolean,
  ) {
    this.#marker = marker;
  }

  readonly #mark: Mark = (secret) => this.#marker(Buffer.from(secret));

  /** Masks the secret parts of a text. Bytes that are not text keep their length, because they may be a message. */
  text(span: WireSpan): Changed {
    const { bytes, valueStart, fieldEnd } = span;
    if (!this.byValues || !mayHoldSecretValue(bytes, valueStart, fieldEnd)) return undefined;
    const value = bytes.subarray(valueStart, fieldEnd);
    if (value.some(isControl) || !isUtf8(value)) return this.unknown(span);
    const text = textAt(bytes, valueStart, fieldEnd);
    const masked = redactText(text, this.#mark);
    if (masked === text) return undefined;
    this.redacted.push('');
    return Buffer.from(masked);
  }

  /** Masks the secret parts of bytes in hexadecimal, such as the payload of a health check. */
  hexText(span: WireSpan): Changed {
    const hex = textAt(span.bytes, span.valueStart, span.fieldEnd);
    const bytes = Buffer.from(hex, 'hex');
    const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
    const text = bytes.toString(encoding);
    const masked = redactText(text, (secret) => this.#marker(Buffer.from(secret, encoding)));
    if (masked === text) return this.text(span);
    this.redacted.push('');
    return Buffer.from(Buffer.from(masked, encoding).toString('hex'));
  }

  /** Masks the secret parts of bytes of an unknown type, and keeps their length. */
  unknown(span: WireSpan): Changed {
    if (!this.byValues) return undefined;
    const value = span.bytes.subarray(span.valueStart, span.fieldEnd);
    const masked = maskInPlace(value, this.#marker);
    if (masked === value) return undefined;
    this.redacted.push('');
    return masked;
  }

  group(rewrite: WireRewrite, cursor: WireCursor): void {
    if (!this.byValues) return;
    const group = cursor.bytes.subarray(cursor.fieldStart, cursor.fieldEnd);
    const masked = maskInPlace(group, this.#marker);
    if (masked === group) return;
    this.redacted.push(`#${cursor.number}`);
    rewrite.replaceBytes(cursor, masked);
  }

  note(name: string, rewrite: WireRewrite, cursor: WireCursor, changed: Changed): void {
    if (changed === undefined) return;
    rewrite.replaceValue(cursor, changed);
    this.prefix(this.redacted.length - 1, name);
  }

  /** Masks the whole value, unless it is empty or masked already. */
  replaceValue({ bytes, valueStart, fieldEnd }: WireSpan): Changed {
    const secret = bytes.subarray(valueStart, fieldEnd);
    if (secret.length === 0 || isRedactionMarkerBytes(secret) || isScheme(secret)) return undefined;
    this.redacted.push('');
    return this.#markerBytes(secret);
  }

  #markerBytes(secret: Uint8Array): Uint8Array {
    return Buffer.from(this.#marker(secret), 'latin1');
  }

  prefix(from: number, name: string): void {
    for (let index = from; index < this.redacted.length; index++) {
      const below = this.redacted[index] ?? '';
      this.redacted[index] =
        below === '' ? name : below.startsWith('[') ? `${name}${below}` : `${name}.${below}`;
    }
  }

  /** Masks the malformed bytes behind the last field: all of them if `hidden`, else only their secret parts. */
  rest(rewrite: WireRewrite, { bytes, fieldStart, end }: WireCursor, hidden: boolean): void {
    if (!hidden && !this.byValues) return;
    const rest = bytes.subarray(fieldStart, end);
    const masked = hidden ? this.#markerBytes(rest) : maskInPlace(rest, this.#marker);
    if (masked === rest) return;
    this.redacted.push('(malformed rest)');
    rewrite.replaceRest(fieldStart, masked);
  }
}

/** Returns whether the bytes are only the name of a scheme, as in a matcher of the prefix "Bearer ". */
function isScheme(bytes: Uint8Array): boolean {
  return (
    bytes.length < 12 &&
    /^(?:bearer|basic|digest|negotiate|ntlm|apikey) ?$/i.test(Buffer.from(bytes).toString())
  );
}
