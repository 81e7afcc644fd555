/** V8 stores larger integers as doubles, whose division takes several times as long. */
const maxSmall = 0x3fff_ffff;

/** Writes numbers and texts to a growing buffer. Numbers are varints of 7 bits a byte, exact up to 2^53. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  varint(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#grow(8);
    const bytes = this.#bytes;
    let length = this.#length;
    let left = value;
    while (left > maxSmall) {
      bytes[length++] = (left % 0x80) | 0x80;
      left = Math.floor(left / 0x80);
    }
    while (left >= 0x80) {
      bytes[length++] = (left & 0x7f) | 0x80;
      left >>= 7;
    }
    bytes[length++] = left;
    this.#length = length;
  }

  /** Zigzag encoding, which is short for small negative numbers. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  double(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#grow(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  text(text: string): void {
    const size = Buffer.byteLength(text);
    this.varint(size);
    if (this.#length + size > this.#bytes.length) this.#grow(size);
    this.#length += this.#bytes.write(text, this.#length);
  }

  bytes(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Copies a short range byte by byte, which is faster than creating a view. */
  piece(bytes: Uint8Array, from: number, to: number): void {
    if (this.#length + to - from > this.#bytes.length) this.#grow(to - from);
    const own = this.#bytes;
    let length = this.#length;
    for (let index = from; index < to; index++) own[length++] = bytes[index] ?? 0;
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(by: number): void {
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + by));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** Reads the output of a ByteWriter in the same order. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  get offset(): number {
    return this.#offset;
  }

  skip(length: number): void {
    this.#offset += length;
  }

  varint(): number {
    const first = this.#bytes[this.#offset];
    // Most numbers take one byte.
    if (first !== undefined && first < 0x80) {
      this.#offset += 1;
      return first;
    }
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.#bytes[this.#offset++];
      if (byte === undefined) throw new RangeError(`expected more than ${this.#bytes.length} bytes`);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    const { buffer, byteOffset, length } = this.bytesOf(8);
    // Throws a RangeError if fewer than 8 bytes are left.
    return new DataView(buffer, byteOffset, length).getFloat64(0, true);
  }

  text(): string {
    const { buffer, byteOffset, length } = this.bytesOf(this.varint());
    return Buffer.from(buffer, byteOffset, length).toString('utf8');
  }

  /** Returns a view of the next `length` bytes. */
  bytesOf(length: number): Uint8Array {
    const from = this.#offset;
    this.#offset += length;
    return this.#bytes.subarray(from, this.#offset);
  }
}
