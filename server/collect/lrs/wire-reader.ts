export const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Reads protobuf in place, field by field. Throws a RangeError if the bytes are not protobuf. */
export class WireReader {
  #position = 0;
  #end = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  field = 0;
  wireType = 0;

  begin(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#position = 0;
    this.#end = bytes.length;
  }

  get position(): number {
    return this.#position;
  }

  get end(): number {
    return this.#end;
  }

  /** Moves to the next field of the message, or returns false if there is none. */
  next(): boolean {
    if (this.#position >= this.#end) return false;
    const tag = this.number();
    this.field = Math.floor(tag / 8);
    this.wireType = tag % 8;
    if (this.field === 0) throw new RangeError(`no field has number 0, at ${this.#position - 1}`);
    return true;
  }

  /** Enters the embedded message of the field. The result must be passed to leave(). */
  enter(): number {
    const size = this.number();
    const outer = this.#end;
    const end = this.#position + size;
    if (end > outer) throw this.#beyond(end);
    this.#end = end;
    return outer;
  }

  leave(outer: number): void {
    this.#position = this.#end;
    this.#end = outer;
  }

  /** Reads a varint, which is exact up to 2^53. */
  number(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      if (this.#position >= this.#end) throw this.#beyond(this.#position + 1);
      const byte = this.#bytes[this.#position++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
      if (factor > 2 ** 63) throw new RangeError(`a varint of more than ten bytes, at ${this.#position}`);
    }
  }

  /** Reads a uint64 as exact decimal digits. */
  digits(): string {
    const from = this.#position;
    const value = this.number();
    if (value <= Number.MAX_SAFE_INTEGER) return String(value);
    let exact = 0n;
    for (let index = this.#position - 1; index >= from; index--) {
      exact = (exact << 7n) | BigInt((this.#bytes[index] ?? 0) & 0x7f);
    }
    return String(BigInt.asUintN(64, exact));
  }

  /** Reads an int64, rounded to a double. */
  signed64(): number {
    return Number(BigInt.asIntN(64, BigInt(this.digits())));
  }

  int32(): number {
    const from = this.#position;
    const value = this.number();
    if (value < 2 ** 31) return value;
    this.#position = from;
    return Number(BigInt.asIntN(32, BigInt(this.digits())));
  }

  uint32(): number {
    return this.number() % 2 ** 32;
  }

  double(): number {
    const from = this.#position;
    this.#position += 8;
    if (this.#position > this.#end) throw this.#beyond(this.#position);
    const { buffer, byteOffset } = this.#bytes;
    return new DataView(buffer, byteOffset + from, 8).getFloat64(0, true);
  }

  /** Returns the bytes of a field as a view. */
  bytes(): Uint8Array {
    const size = this.number();
    const from = this.#position;
    this.#position += size;
    if (this.#position > this.#end) throw this.#beyond(this.#position);
    return this.#bytes.subarray(from, this.#position);
  }

  /** Returns what bytes() returns as the beginning and end of the range, without an object. */
  span(): number {
    const size = this.number();
    const from = this.#position;
    this.#position += size;
    if (this.#position > this.#end) throw this.#beyond(this.#position);
    return from;
  }

  skip(): void {
    if (this.wireType === wire.varint) this.number();
    else if (this.wireType === wire.bytes) this.span();
    else if (this.wireType === wire.fixed64) this.#jump(8);
    else if (this.wireType === wire.fixed32) this.#jump(4);
    else throw new RangeError(`wire type ${this.wireType} of field ${this.field}, at ${this.#position}`);
  }

  #jump(size: number): void {
    this.#position += size;
    if (this.#position > this.#end) throw this.#beyond(this.#position);
  }

  #beyond(end: number): RangeError {
    return new RangeError(`expected ${end} bytes, got ${this.#end}`);
  }
}
