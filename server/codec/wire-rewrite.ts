import { encodeVarint, type WireCursor } from './wire-cursor';

/** Copies a range of bytes with some fields replaced; allocates nothing until the first replacement. */
export class WireRewrite {
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

  /** undefined: nothing was replaced. */
  finish(end: number): Uint8Array | undefined {
    if (this.parts === undefined) return undefined;
    if (this.copiedTo < end) this.parts.push(this.bytes.subarray(this.copiedTo, end));
    return Buffer.concat(this.parts);
  }
}
