/**
 * Writes a protobuf message field by field, for the few messages that are large and simple: 100,000 names take a
 * tenth of the time that they take through JSON and reflection. Empty strings are left out, as proto3 has it.
 */
export class WireWriter {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  string(field: number, value: string): this {
    return value === '' ? this : this.#writeString(field, value);
  }

  /** Elements are there even when they are empty. */
  strings(field: number, values: Iterable<string>): this {
    for (const value of values) this.#writeString(field, value);
    return this;
  }

  /** map<string, string>: an entry is a message with key 1 and value 2. */
  map(field: number, entries: Iterable<readonly [string, string]>): this {
    for (const [key, value] of entries) {
      const [keyBytes, valueBytes] = [Buffer.byteLength(key), Buffer.byteLength(value)];
      this.#tag(field, 2);
      this.#varint(2 + varintSize(keyBytes) + keyBytes + varintSize(valueBytes) + valueBytes);
      this.#writeString(1, key);
      this.#writeString(2, value);
    }
    return this;
  }

  /** A message that is bytes already. */
  message(field: number, bytes: Uint8Array): this {
    this.#tag(field, 2);
    this.#varint(bytes.length);
    return this.fields(bytes);
  }

  /** Fields that are written already. */
  fields(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** Not negative. */
  integer(field: number, value: number): this {
    this.#tag(field, 0);
    this.#varint(value);
    return this;
  }

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #writeString(field: number, value: string): this {
    const size = Buffer.byteLength(value);
    this.#tag(field, 2);
    this.#varint(size);
    this.#reserve(size);
    this.#length += this.#buffer.write(value, this.#length, 'utf8');
    return this;
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#length++] = rest;
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#length + size, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Of a length below 2^32. */
function varintSize(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size += 1;
  return size;
}
