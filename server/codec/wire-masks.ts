import { isUtf8 } from 'node:buffer';
import { isRedactionMarkerBytes, type RedactionMarker } from './redaction-marker';
import { isControl, maskInPlace } from './secrets/mask-in-place';
import type { Mark } from './secrets/placeholder';
import { redactText } from './secrets/redact-text';
import { mayHoldSecretValue } from './secrets/trigger-scan';
import { textAt } from './text-at';
import type { WireCursor } from './wire-cursor';
import type { WireRewrite } from './wire-rewrite';

/** New bytes of a value, or undefined when nothing in it changed. */
export type Changed = Uint8Array | undefined;

/** Masks single values of a message: as a whole, or the parts of them that are secrets by their value. */
export class WireMasks {
  /** JSON paths so far. Written from the inside out: a parent puts its own name before what its child added. */
  readonly redacted: string[] = [];

  constructor(
    private readonly marker: RedactionMarker,
    /** Any text in the message that is walked may have a secret in it. */
    public byValues: boolean,
  ) {}

  private readonly mark: Mark = (secret) => this.marker(Buffer.from(secret));

  /** Text in which a part may be secret. Bytes that are no text keep their length, since a message may be in them. */
  text(cursor: WireCursor): Changed {
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
  hexText(cursor: WireCursor): Changed {
    const hex = textAt(cursor.bytes, cursor.valueStart, cursor.fieldEnd);
    const text = Buffer.from(hex, 'hex').toString('latin1');
    const masked = redactText(text, (secret) => this.marker(Buffer.from(secret, 'latin1')));
    if (masked === text) return this.text(cursor);
    this.redacted.push('');
    return Buffer.from(Buffer.from(masked, 'latin1').toString('hex'));
  }

  /** What no schema describes keeps its length. */
  unknown(cursor: WireCursor): Changed {
    if (!this.byValues) return undefined;
    const value = cursor.bytes.subarray(cursor.valueStart, cursor.fieldEnd);
    const masked = maskInPlace(value, this.mark);
    if (masked === value) return undefined;
    this.redacted.push('');
    return masked;
  }

  group(rewrite: WireRewrite, cursor: WireCursor): void {
    if (!this.byValues) return;
    const group = cursor.bytes.subarray(cursor.fieldStart, cursor.fieldEnd);
    const masked = maskInPlace(group, this.mark);
    if (masked === group) return;
    this.redacted.push(`#${cursor.number}`);
    rewrite.replaceBytes(cursor, masked);
  }

  note(name: string, rewrite: WireRewrite, cursor: WireCursor, changed: Changed): void {
    if (changed === undefined) return;
    rewrite.replaceValue(cursor, changed);
    this.prefix(this.redacted.length - 1, name);
  }

  replaceValue(cursor: WireCursor): Changed {
    return this.replace(cursor.bytes.subarray(cursor.valueStart, cursor.fieldEnd));
  }

  replace(secret: Uint8Array): Changed {
    if (secret.length === 0 || isRedactionMarkerBytes(secret)) return undefined;
    this.redacted.push('');
    return this.markerBytes(secret);
  }

  markerBytes(secret: Uint8Array): Uint8Array {
    return Buffer.from(this.marker(secret), 'latin1');
  }

  prefix(from: number, name: string): void {
    for (let index = from; index < this.redacted.length; index++) {
      const below = this.redacted[index] ?? '';
      this.redacted[index] =
        below === '' ? name : below.startsWith('[') ? `${name}${below}` : `${name}.${below}`;
    }
  }

  /** What follows the last field that can be read; `hidden`: all of it may be secret. */
  rest(rewrite: WireRewrite, { bytes, fieldStart }: WireCursor, end: number, hidden: boolean): void {
    if (!hidden && !this.byValues) return;
    const rest = bytes.subarray(fieldStart, end);
    const masked = hidden ? this.markerBytes(rest) : maskInPlace(rest, this.mark);
    if (masked === rest) return;
    this.redacted.push('(malformed rest)');
    rewrite.replaceRest(fieldStart, masked);
  }
}
