/**
 * Walks the fields of one message on the wire, without decoding them. Protobuf by hand is justified here only
 * because redaction must leave every byte that it does not replace as it was, unknown fields included, and must
 * reach into messages that are cut short; a decoder can do neither.
 */
export class WireCursor {
  /** The field under the cursor: set by next(). */
  number = 0;
  wireType = 0;
  /** Where the field begins (its tag) and ends. */
  fieldStart = 0;
  fieldEnd = 0;
  /** The value's bytes: for a length-delimited field without the length. */
  valueStart = 0;
  /** How many bytes a length-delimited field claims beyond the end of the message; 0 when it is whole. */
  missingBytes = 0;
  /** Set when the rest, from `fieldStart` on, is no protobuf. */
  malformed = false;

  constructor(
    readonly bytes: Uint8Array,
    private position: number,
    readonly end: number,
  ) {}

  /** Moves to the next field; false at the end, or where the rest is malformed. */
  next(): boolean {
    this.fieldStart = this.position;
    if (this.position >= this.end) return false;
    const tag = this.readVarint32();
    this.number = tag >>> 3;
    this.wireType = tag & 7;
    if (tag < 0 || this.number === 0) return this.giveUp();
    this.missingBytes = 0;
    this.valueStart = this.position;
    switch (this.wireType) {
      case 0:
        if (!this.skipVarint()) return this.giveUp();
        break;
      case 1:
        this.position += 8;
        break;
      case 5:
        this.position += 4;
        break;
      case 2: {
        const length = this.readVarint32();
        if (length < 0) return this.giveUp();
        this.valueStart = this.position;
        this.position += length;
        if (this.position > this.end) {
          this.missingBytes = this.position - this.end;
          this.position = this.end;
        }
        break;
      }
      case 3:
        // In no xDS message, but a decoder takes an unknown one: the fields after it must be reached.
        if (!this.skipGroup(this.number, 0)) return this.giveUp();
        break;
      default:
        // An end (4) without its group; 6 and 7 do not exist.
        return this.giveUp();
    }
    if (this.position > this.end) return this.giveUp();
    this.fieldEnd = this.position;
    return true;
  }

  private giveUp(): false {
    this.malformed = true;
    return false;
  }

  /** An unsigned varint below 2^32; -1 when it is larger or cut short. */
  private readVarint32(): number {
    if (this.position < this.end) {
      const byte = this.bytes[this.position] ?? 0;
      // Mostly it is one byte.
      if (byte < 0x80) {
        this.position += 1;
        return byte;
      }
    }
    let value = 0;
    for (let index = 0; index < 5; index++) {
      if (this.position >= this.end) return -1;
      const byte = this.bytes[this.position++] ?? 0;
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value < 2 ** 32 ? value : -1;
    }
    return -1;
  }

  /** To the end of the group whose start was just read. */
  private skipGroup(number: number, depth: number): boolean {
    while (depth < 100 && this.position < this.end) {
      const tag = this.readVarint32();
      const field = tag >>> 3;
      if (tag < 0 || field === 0) return false;
      switch (tag & 7) {
        case 0:
          if (!this.skipVarint()) return false;
          break;
        case 1:
          this.position += 8;
          break;
        case 2: {
          const length = this.readVarint32();
          if (length < 0) return false;
          this.position += length;
          break;
        }
        case 3:
          if (!this.skipGroup(field, depth + 1)) return false;
          break;
        case 4:
          return field === number;
        case 5:
          this.position += 4;
          break;
        default:
          return false;
      }
    }
    return false;
  }

  private skipVarint(): boolean {
    for (let index = 0; index < 10; index++) {
      if (this.position >= this.end) return false;
      if ((this.bytes[this.position++] ?? 0) < 0x80) return true;
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
