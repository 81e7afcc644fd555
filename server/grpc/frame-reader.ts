import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import type { MessageSink } from './message-sink';

/** What came cannot be read on: the call ends with this. */
export class FrameError extends Error {
  constructor(
    readonly code: status,
    message: string,
  ) {
    super(message);
  }
}

const headerBytes = 5;
const unpackers = { gzip: promisify(gunzip), deflate: promisify(inflate) };

/**
 * gRPC's framing: each message is a flag (is it compressed?), a length of four bytes, and so many bytes. Throws, and
 * rejects, with a FrameError.
 */
export class FrameReader {
  readonly #header = Buffer.alloc(headerBytes);
  #headerLength = 0;
  #sink: MessageSink | undefined;
  #missingBytes = 0;

  constructor(
    private readonly maxMessageBytes: number,
    /** A message of that length begins. */
    private readonly begin: (sizeBytes: number) => MessageSink,
    /** Of the response's headers. */
    private readonly encoding: () => string,
  ) {}

  /** A promise where a completed message is still being dealt with: give nothing more before it has settled. */
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

  /** Of this chunk, since the last message. */
  #headerRead = 0;

  #readHeader(chunk: Buffer, start: number): MessageSink | undefined {
    const taken = chunk.copy(this.#header, this.#headerLength, start);
    this.#headerLength += taken;
    if (this.#headerLength < headerBytes) return undefined;
    this.#headerRead = taken;
    this.#headerLength = 0;
    this.#missingBytes = this.#header.readUInt32BE(1);
    if (this.#missingBytes > this.maxMessageBytes) {
      throw new FrameError(
        status.RESOURCE_EXHAUSTED,
        `Received message larger than max (${this.#missingBytes} vs ${this.maxMessageBytes})`,
      );
    }
    return this.#header[0] === 0 ? this.begin(this.#missingBytes) : this.#unpacking();
  }

  /** Collects what is compressed, and hands it on in one piece. */
  #unpacking(): MessageSink {
    const encoding = this.encoding();
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
        const message = await unpack(Buffer.concat(pieces), { maxOutputLength: this.maxMessageBytes }).catch(
          (cause: unknown) => {
            throw this.#unpackError(encoding, cause);
          },
        );
        const sink = this.begin(message.length);
        sink.write(message);
        await sink.end();
      },
    };
  }

  #unpackError(encoding: string, cause: unknown): FrameError {
    const isTooLarge = cause instanceof RangeError;
    return isTooLarge
      ? new FrameError(
          status.RESOURCE_EXHAUSTED,
          `Received message that decompresses to a size larger than ${this.maxMessageBytes}`,
        )
      : new FrameError(status.INTERNAL, `Failed to decompress ${encoding}-encoded message`);
  }
}
