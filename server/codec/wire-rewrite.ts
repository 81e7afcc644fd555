import { encodeVarint, type WireCursor, type WireSpan } from './wire-cursor';

/** Copies a message with some of its fields replaced. It allocates nothing before the first replacement. */
export class WireRewrite {
  readonly #span: WireSpan;
  #parts: Uint8Array[] | undefined;
  #copiedTo: number;
  readonly #end: number;

  constructor(span: WireSpan) {
    this.#span = span;
    this.#copiedTo = span.valueStart;
    this.#end = span.fieldEnd;
  }

  /** Keeps the tag. A truncated field still lacks the same number of bytes. */
  replaceValue(cursor: WireCursor, value: Uint8Array): void {
    this.replaceField(cursor, cursor.number, value);
  }

  replaceField(cursor: WireCursor, number: number, value: Uint8Array): void {
    this.#parts ??= [];
    this.#parts.push(
      this.#span.bytes.subarray(this.#copiedTo, cursor.fieldStart),
      encodeVarint(number * 8 + 2),
      encodeVarint(value.length + cursor.missingBytes),
      value,
    );
    this.#copiedTo = cursor.fieldEnd;
  }

  /** `bytes` replace the whole field, tag included, and have its length. */
  replaceBytes(cursor: WireCursor, bytes: Uint8Array): void {
    this.#parts ??= [];
    this.#parts.push(this.#span.bytes.subarray(this.#copiedTo, cursor.fieldStart), bytes);
    this.#copiedTo = cursor.fieldEnd;
  }

  replaceRest(from: number, rest: Uint8Array): void {
    this.#parts ??= [];
    this.#parts.push(this.#span.bytes.subarray(this.#copiedTo, from), rest);
    this.#copiedTo = Number.POSITIVE_INFINITY;
  }

  /** Returns undefined if nothing was replaced. */
  finish(): Uint8Array | undefined {
    if (this.#parts === undefined) return undefined;
    if (this.#copiedTo < this.#end) this.#parts.push(this.#span.bytes.subarray(this.#copiedTo, this.#end));
    return Buffer.concat(this.#parts);
  }
}
