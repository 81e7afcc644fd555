/** A value on the wire: a message, a text, or the value under a cursor. */
export interface WireSpan {
  readonly bytes: Uint8Array;
  readonly valueStart: number;
  /** The end is exclusive. */
  readonly fieldEnd: number;
}

export function spanOf(bytes: Uint8Array): WireSpan {
  return { bytes, valueStart: 0, fieldEnd: bytes.length };
}

/**
 * Iterates over the fields of one message on the wire without decoding them. A decoder cannot be used, because
 * redaction must keep every byte that it does not replace, unknown fields included, and must read truncated messages.
 */
export class WireCursor implements WireSpan {
  #position: number;

  /** Number of the current field, as all other properties set by next(). */
  number = 0;
  wireType = 0;
  /** Place of the field's tag. */
  fieldStart = 0;
  /** The end is exclusive. */
  fieldEnd = 0;
  /** Place of the value, behind the length of a length-delimited field. */
  valueStart = 0;
  /** Number of bytes by which a length-delimited field exceeds the end of the message. */
  missingBytes = 0;
  /** True if the bytes from `fieldStart` on are not protobuf. */
  malformed = false;

  constructor(
    readonly bytes: Uint8Array,
    position = 0,
    readonly end = bytes.length,
  ) {
    this.#position = position;
  }

  static within({ bytes, valueStart, fieldEnd }: WireSpan): WireCursor {
    return new WireCursor(bytes, valueStart, fieldEnd);
  }

  /** Moves to the next field; returns false at the end, or if the remaining bytes are malformed. */
  next(): boolean {
    this.fieldStart = this.#position;
    if (this.#position >= this.end) return false;
    const tag = this.#readVarint32();
    this.number = tag >>> 3;
    this.wireType = tag & 7;
    if (tag < 0 || this.number === 0) return this.#fail();
    this.missingBytes = 0;
    this.valueStart = this.#position;
    switch (this.wireType) {
      case 0:
        if (!this.#skipVarint()) return this.#fail();
        break;
      case 1:
        this.#position += 8;
        break;
      case 5:
        this.#position += 4;
        break;
      case 2: {
        const length = this.#readVarint32();
        if (length < 0) return this.#fail();
        this.valueStart = this.#position;
        this.#position += length;
        if (this.#position > this.end) {
          this.missingBytes = this.#position - this.end;
          this.#position = this.end;
        }
        break;
      }
      case 3:
        // No xDS message has a group, but decoders accept an unknown one, and fields may follow it.
        if (!this.#skipGroup(this.number, 0)) return this.#fail();
        break;
      default:
        // Wire type 4 is the end of a group that was not opened; 6 and 7 do not exist.
        return this.#fail();
    }
    if (this.#position > this.end) return this.#fail();
    this.fieldEnd = this.#position;
    return true;
  }

  #fail(): false {
    this.malformed = true;
    return false;
  }

  /** Reads an unsigned varint below 2^32; returns -1 if it is larger or truncated. */
  #readVarint32(): number {
    if (this.#position < this.end) {
      const byte = this.bytes[this.#position] ?? 0;
      if (byte < 0x80) {
        this.#position += 1;
        return byte;
      }
    }
    let value = 0;
    for (let index = 0; index < 5; index++) {
      if (this.#position >= this.end) return -1;
      const byte = this.bytes[this.#position++] ?? 0;
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value < 2 ** 32 ? value : -1;
    }
    return -1;
  }

  /** Skips a group whose start tag was read. */
  #skipGroup(number: number, depth: number): boolean {
    while (depth < 100 && this.#position < this.end) {
      const tag = this.#readVarint32();
      const field = tag >>> 3;
      if (tag < 0 || field === 0) return false;
      switch (tag & 7) {
        case 0:
          if (!this.#skipVarint()) return false;
          break;
        case 1:
          this.#position += 8;
          break;
        case 2: {
          const length = this.#readVarint32();
          if (length < 0) return false;
          this.#position += length;
          break;
        }
        case 3:
          if (!this.#skipGroup(field, depth + 1)) return false;
          break;
        case 4:
          return field === number;
        case 5:
          this.#position += 4;
          break;
        default:
          return false;
      }
    }
    return false;
  }

  #skipVarint(): boolean {
    for (let index = 0; index < 10; index++) {
      if (this.#position >= this.end) return false;
      if ((this.bytes[this.#position++] ?? 0) < 0x80) return true;
    }
    return false;
  }
}

export function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
