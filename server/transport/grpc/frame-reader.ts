import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { status } from '@grpc/grpc-js';

/** The stream cannot be read any further. The call ends with `code`. */
export class FrameError extends Error {
  constructor(
    readonly code: status,
    message: string,
  ) {
    super(message);
  }
}

/** Receives one message in the pieces in which it arrives, so that it is not in memory twice. */
export interface MessageSink {
  /**
   * The next bytes; in total as many as were announced. They do not change after the call, but they may be a small part of
   * a buffer of 64 KiB that stays in memory with them.
   */
  write(bytes: Buffer): void;
  /**
   * The message is complete. Nothing more is read before the promise settles, and it must not reject; undefined if the
   * message has been handled.
   */
  end(): Promise<void> | undefined;
}

const headerBytes = 5;
const unpackers = { gzip: promisify(gunzip), deflate: promisify(inflate) };

/** A gRPC frame without compression. */
export function encodeFrame(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, headerBytes);
  return frame;
}

/**
 * Reads gRPC's length-prefixed messages: a compression flag, a length of four bytes, and the message. Throws and rejects
 * with a FrameError.
 */
export class FrameReader {
  readonly #maxMessageBytes: number;
  readonly #begin: (sizeBytes: number) => MessageSink;
  readonly #encoding: () => string;
  readonly #header = Buffer.alloc(headerBytes);
  #headerLength = 0;
  #sink: MessageSink | undefined;
  #missingBytes = 0;
  /** Header bytes of the current message in the current chunk. */
  #headerRead = 0;

  constructor(
    maxMessageBytes: number,
    /** Called at the start of each message, with its length after decompression. */
    begin: (sizeBytes: number) => MessageSink,
    /** The `grpc-encoding` header. */
    encoding: () => string,
  ) {
    this.#maxMessageBytes = maxMessageBytes;
    this.#begin = begin;
    this.#encoding = encoding;
  }

  /** Returns a promise while a completed message is being handled. The next chunk may be read once it has resolved. */
  read(chunk: Buffer): Promise<void> | undefined {
    let position = 0;
    while (position < chunk.length) {
      this.#sink ??= this.#readHeader(chunk, position);
      if (this.#sink === undefined) return undefined;
      position += this.#headerRead;
      this.#headerRead = 0;
      const end = Math.min(chunk.length, position + this.#missingBytes);
      if (end > position) this.#sink.write(chunk.subarray(position, end));
      this.#missingBytes -= end - position;
      position = end;
      if (this.#missingBytes > 0) return undefined;
      const ended = this.#sink.end();
      this.#sink = undefined;
      if (ended === undefined) continue;
      const rest = chunk.subarray(position);
      return ended.then(() => this.read(rest));
    }
    return undefined;
  }

  #readHeader(chunk: Buffer, start: number): MessageSink | undefined {
    const taken = chunk.copy(this.#header, this.#headerLength, start);
    this.#headerLength += taken;
    if (this.#headerLength < headerBytes) return undefined;
    this.#headerRead = taken;
    this.#headerLength = 0;
    this.#missingBytes = this.#header.readUInt32BE(1);
    if (this.#missingBytes > this.#maxMessageBytes) {
      throw new FrameError(
        status.RESOURCE_EXHAUSTED,
        `Received message larger than max (${this.#missingBytes} vs ${this.#maxMessageBytes})`,
      );
    }
    return this.#header[0] === 0 ? this.#begin(this.#missingBytes) : this.#decompress();
  }

  /** Collects a compressed message, and passes it on in one piece after decompression. */
  #decompress(): MessageSink {
    const encoding = this.#encoding();
    const unpack = encoding === 'gzip' || encoding === 'deflate' ? unpackers[encoding] : undefined;
    if (unpack === undefined) {
      throw new FrameError(
        status.UNIMPLEMENTED,
        `Received message compressed with unsupported compression method ${encoding}`,
      );
    }
    const pieces: Buffer[] = [];
    return {
      write: (bytes) => pieces.push(Buffer.from(bytes)),
      end: async () => {
        const message = await unpack(Buffer.concat(pieces), { maxOutputLength: this.#maxMessageBytes }).catch(
          (cause: unknown) => {
            throw this.#decompressError(encoding, cause);
          },
        );
        const sink = this.#begin(message.length);
        sink.write(message);
        await sink.end();
      },
    };
  }

  #decompressError(encoding: string, cause: unknown): FrameError {
    return cause instanceof RangeError
      ? new FrameError(
          status.RESOURCE_EXHAUSTED,
          `Received message that decompresses to a size larger than ${this.#maxMessageBytes}`,
        )
      : new FrameError(status.INTERNAL, `Failed to decompress ${encoding}-encoded message`);
  }
}
