import protobuf from 'protobufjs';
import { WireCursor } from './wire-cursor';

/** A message with more unknown fields is hostile: each kept field takes some hundred bytes of memory. */
const mostUnknown = 100_000;

/**
 * Keeps unknown fields (tag and value) in the `$unknowns` of the decoded message. nextField() returns what
 * follows each of them, so that they can be written back in their places.
 */
export class KeepingReader extends protobuf.Reader {
  readonly #following = new Map<Uint8Array, number>();
  /** End of the field that was skipped last, or -1 after it was kept. */
  #skippedTo = -1;
  #isInGroup = false;
  #lostSome = false;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.discardUnknown = false;
  }

  /** False if an entry of a map has more fields than key and value, because protobufjs drops those. */
  get keptAll(): boolean {
    return !this.#lostSome && this.#skippedTo === -1;
  }

  override raw(start: number, end: number): Uint8Array {
    const kept = super.raw(start, end);
    // This is the value of a known field of type bytes.
    if (end !== this.#skippedTo) return kept;
    this.#skippedTo = -1;
    if (this.#following.size >= mostUnknown) throw new Error(`more than ${mostUnknown} unknown fields`);
    const cursor = new WireCursor(this.buf, end, this.len);
    this.#following.set(kept, cursor.next() ? cursor.number : 0);
    return kept;
  }

  override skipType(wireType: number, depth?: number, fieldNumber?: number): protobuf.Reader {
    if (this.#isInGroup) return super.skipType(wireType, depth, fieldNumber);
    if (this.#skippedTo !== -1) this.#lostSome = true;
    this.#isInGroup = true;
    super.skipType(wireType, depth, fieldNumber);
    this.#isInGroup = false;
    this.#skippedTo = this.pos;
    return this;
  }

  /** Returns the number of the field behind an unknown one in its message, or 0 at the end. */
  nextField(unknown: Uint8Array): number {
    return this.#following.get(unknown) ?? 0;
  }
}

/** Replaces invalid UTF-8 in strings by U+FFFD, for which the strict reader rejects the whole message. */
export class LenientReader extends KeepingReader {
  override string(): string {
    const bytes = this.bytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }

  override stringVerify(): string {
    return this.string();
  }
}
