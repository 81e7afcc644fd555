import { gunzipSync, inflateSync } from 'node:zlib';
import { framePrefixBytes } from '../proxy/frame-cursor';

/** Larger ones are not taken in; nothing in the field comes near. */
const maxMessageBytes = 256 * 1024 * 1024;

export type ReadMessage =
  | { readonly kind: 'message'; readonly bytes: Buffer }
  | { readonly kind: 'unreadable'; readonly sizeBytes: number; readonly reason: string };

/** What a prefix says of the message behind it. */
interface Announced {
  readonly isCompressed: boolean;
  readonly sizeBytes: number;
}

/**
 * Makes messages of the chunks of one direction: one byte that reports whether it is compressed, four of length, the
 * message (gRPC over HTTP/2: Length-Prefixed-Message).
 */
export class MessageReader {
  /** Of the prefix, then of the message. */
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The message that is being read; null: its prefix is not there yet. */
  #announced: Announced | null = null;
  /** Of a message that is not taken in, still to be passed over. */
  #passedOver = 0;
  /** grpc-encoding: how those are compressed that are. */
  encoding = '';

  /** Of a message that has begun and is not whole. */
  get heldBytes(): number {
    return this.#announced === null ? 0 : this.#bytes;
  }

  /** The length of that message, of all of it. */
  get begunBytes(): number | undefined {
    return this.#announced?.sizeBytes;
  }

  /** Forgets what is held, and passes over the rest of the message. */
  giveUp(): void {
    if (this.#announced === null) return;
    const rest = this.#announced.sizeBytes - this.#bytes;
    this.reset();
    this.#passedOver = rest;
  }

  /** What is missing begins here, and the next chunk begins a message. */
  reset(): void {
    this.#chunks = [];
    this.#bytes = 0;
    this.#announced = null;
    this.#passedOver = 0;
  }

  *read(chunk: Buffer): Generator<ReadMessage> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#passedOver > 0) {
        const step = Math.min(this.#passedOver, rest.length);
        this.#passedOver -= step;
        rest = rest.subarray(step);
        continue;
      }
      const missing = (this.#announced?.sizeBytes ?? framePrefixBytes) - this.#bytes;
      const taken = rest.subarray(0, missing);
      rest = rest.subarray(taken.length);
      this.#bytes += taken.length;
      // A piece does not keep the batch in memory that it came with, if that is larger.
      this.#chunks.push(
        taken.length < missing && taken.length < chunk.buffer.byteLength / 2 ? own(taken) : taken,
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
    this.#passedOver = sizeBytes;
    const reason = `a message of ${sizeBytes} bytes, more than the ${maxMessageBytes} that are read`;
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
      return unreadable(`a message in the encoding ${JSON.stringify(encoding)}, expected gzip or deflate`);
    }
    try {
      const limits = { maxOutputLength: maxMessageBytes };
      const plain = encoding === 'gzip' ? gunzipSync(bytes, limits) : inflateSync(bytes, limits);
      return { kind: 'message', bytes: plain };
    } catch (error) {
      return unreadable(`a message that is no ${encoding}: ${error instanceof Error ? error.message : ''}`);
    }
  }
}

/** In a buffer of its own, and in none of Node's pool. */
function own(bytes: Buffer): Buffer {
  return Buffer.from(Uint8Array.from(bytes).buffer);
}
