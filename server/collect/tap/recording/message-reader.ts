import { gunzipSync, inflateSync } from 'node:zlib';
import { framePrefixBytes } from '../proxy/frame-cursor';

/** Larger messages are not recorded. */
const maxMessageBytes = 256 * 1024 * 1024;

export type ReadMessage =
  | { readonly kind: 'message'; readonly bytes: Buffer }
  | { readonly kind: 'unreadable'; readonly sizeBytes: number; readonly reason: string };

interface Announced {
  readonly isCompressed: boolean;
  readonly sizeBytes: number;
}

/** Reads the Length-Prefixed-Messages (gRPC over HTTP/2) of one direction from chunks. */
export class MessageReader {
  /** The chunks of the prefix, then of the message. */
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The current message, or null until its prefix is complete. */
  #announced: Announced | null = null;
  /** The number of bytes to skip of a message that is not recorded. */
  #skipBytes = 0;
  /** The `grpc-encoding` of compressed messages. */
  encoding = '';

  get heldBytes(): number {
    return this.#announced === null ? 0 : this.#bytes;
  }

  /** The complete length of an incomplete message. */
  get begunBytes(): number | undefined {
    return this.#announced?.sizeBytes;
  }

  /** Discards the incomplete message, and skips the rest of it. */
  skip(): void {
    if (this.#announced === null) return;
    const rest = this.#announced.sizeBytes - this.#bytes;
    this.reset();
    this.#skipBytes = rest;
  }

  /** Discards the incomplete message. The next chunk begins a message. */
  reset(): void {
    this.#chunks = [];
    this.#bytes = 0;
    this.#announced = null;
    this.#skipBytes = 0;
  }

  *read(chunk: Buffer): Generator<ReadMessage> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#skipBytes > 0) {
        const step = Math.min(this.#skipBytes, rest.length);
        this.#skipBytes -= step;
        rest = rest.subarray(step);
        continue;
      }
      const missing = (this.#announced?.sizeBytes ?? framePrefixBytes) - this.#bytes;
      const taken = rest.subarray(0, missing);
      rest = rest.subarray(taken.length);
      this.#bytes += taken.length;
      // A piece must not retain a much larger batch in memory.
      this.#chunks.push(
        taken.length < missing && taken.length < chunk.buffer.byteLength / 2 ? copyOutsidePool(taken) : taken,
      );
      if (taken.length < missing) return;
      const read = this.#announced === null ? this.#announce() : this.#finish(this.#announced);
      if (read !== undefined) yield read;
    }
  }

  #announce(): ReadMessage | undefined {
    const prefix = this.#joined();
    const announced = { isCompressed: prefix[0] === 1, sizeBytes: prefix.readUInt32BE(1) };
    this.reset();
    const { sizeBytes } = announced;
    if (sizeBytes === 0) return this.#finish(announced);
    if (sizeBytes <= maxMessageBytes) {
      this.#announced = announced;
      return undefined;
    }
    this.#skipBytes = sizeBytes;
    const reason = `expected a message of at most ${maxMessageBytes} bytes, got ${sizeBytes}`;
    return { kind: 'unreadable', sizeBytes, reason };
  }

  #finish({ isCompressed }: Announced): ReadMessage {
    const bytes = this.#joined();
    this.reset();
    return isCompressed && this.encoding !== 'identity' ? this.#inflate(bytes) : { kind: 'message', bytes };
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    return this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
  }

  #inflate(bytes: Buffer): ReadMessage {
    const { encoding } = this;
    const unreadable = (reason: string): ReadMessage => {
      return { kind: 'unreadable', sizeBytes: bytes.length, reason };
    };
    if (encoding !== 'gzip' && encoding !== 'deflate') {
      return unreadable(`expected the encoding gzip or deflate, got ${JSON.stringify(encoding)}`);
    }
    try {
      const limits = { maxOutputLength: maxMessageBytes };
      const plain = encoding === 'gzip' ? gunzipSync(bytes, limits) : inflateSync(bytes, limits);
      return { kind: 'message', bytes: plain };
    } catch (error) {
      return unreadable(`expected a message in ${encoding}: ${error instanceof Error ? error.message : ''}`);
    }
  }
}

/** Copies the bytes to a buffer outside of Node's pool. */
function copyOutsidePool(bytes: Buffer): Buffer {
  return Buffer.from(Uint8Array.from(bytes).buffer);
}
