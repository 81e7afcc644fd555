import { gunzipSync, inflateSync } from 'node:zlib';
import { framePrefixBytes } from '../proxy/frame-cursor';

/** Larger ones are not taken in; nothing in the field comes near. */
const maxMessageBytes = 256 * 1024 * 1024;

export type ReadMessage =
  | { readonly kind: 'message'; readonly bytes: Buffer }
  | { readonly kind: 'unreadable'; readonly sizeBytes: number; readonly reason: string };

/**
 * Makes messages of the chunks of one direction: one byte that tells whether it is compressed, four of length, the
 * message (gRPC over HTTP/2: Length-Prefixed-Message).
 */
export class MessageReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of the message that is being read, with its prefix; null: the prefix is not there yet. */
  #wantedBytes: number | null = null;
  /** Of a message that is too large, still to be passed over. */
  #passedOver = 0;
  /** grpc-encoding: how those are compressed that are. */
  encoding = '';

  /** What is missing begins here, and the next chunk begins a message. */
  reset(): void {
    this.#chunks = [];
    this.#bytes = 0;
    this.#wantedBytes = null;
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
      const missing = (this.#wantedBytes ?? framePrefixBytes) - this.#bytes;
      const taken = rest.subarray(0, missing);
      this.#chunks.push(taken);
      this.#bytes += taken.length;
      rest = rest.subarray(taken.length);
      if (taken.length < missing) return;
      if (this.#wantedBytes === null) {
        const sizeBytes = this.#joined().readUInt32BE(1);
        this.#wantedBytes = framePrefixBytes + sizeBytes;
        if (sizeBytes > maxMessageBytes) {
          this.reset();
          this.#passedOver = sizeBytes;
          const reason = `a message of ${sizeBytes} bytes, more than the ${maxMessageBytes} that are read`;
          yield { kind: 'unreadable', sizeBytes, reason };
          continue;
        }
        if (sizeBytes > 0) continue;
      }
      const frame = this.#joined();
      this.reset();
      yield this.#decode(frame);
    }
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #decode(frame: Buffer): ReadMessage {
    const bytes = frame.subarray(framePrefixBytes);
    const isCompressed = frame[0] === 1;
    const unreadable = (reason: string): ReadMessage => ({
      kind: 'unreadable',
      sizeBytes: bytes.length,
      reason,
    });
    if (!isCompressed || this.encoding === 'identity') return { kind: 'message', bytes };
    if (this.encoding !== 'gzip' && this.encoding !== 'deflate') {
      return unreadable(
        `a message in the encoding ${JSON.stringify(this.encoding)}, expected gzip or deflate`,
      );
    }
    try {
      const limits = { maxOutputLength: maxMessageBytes };
      const plain = this.encoding === 'gzip' ? gunzipSync(bytes, limits) : inflateSync(bytes, limits);
      return { kind: 'message', bytes: plain };
    } catch (error) {
      return unreadable(
        `a message that is no ${this.encoding}: ${error instanceof Error ? error.message : ''}`,
      );
    }
  }
}
