import { createHash } from 'node:crypto';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { ByteSource } from '../../codec/dump-parser/byte-source';
import { wholeBuffer } from '../../workers/threads/whole-buffer';

/** The reading thread's end of an upload. */
export interface UploadEnd {
  readonly port: MessagePort;
  /** A counter that changes whenever the port has a new message. */
  readonly mark: Int32Array;
  /** The announced size, null if unknown. */
  readonly sizeBytes: number | null;
}

type Sent = { readonly kind: 'chunk'; readonly bytes: Uint8Array } | { readonly kind: 'end' };

/** Number of bytes that the sender is ahead of the reader. */
const mostAheadBytes = 128 * 1024 * 1024;
/** Interval of the acknowledgements, which cost time on both sides. */
const reportedEveryBytes = 8 * 1024 * 1024;

/** Transfers the chunks of an upload to the thread that reads it, without copying them. */
export class UploadSender {
  readonly #channel = new MessageChannel();
  readonly #mark = new Int32Array(new SharedArrayBuffer(4));
  #taken = 0;
  #onTaken = (): void => undefined;

  /** The end that is transferred to the thread. */
  readonly end: UploadEnd;

  constructor(sizeBytes: number | null) {
    this.end = { port: this.#channel.port2, mark: this.#mark, sizeBytes };
    this.#channel.port1.on('message', (taken: number) => {
      this.#taken = taken;
      this.#onTaken();
    });
    this.#channel.port1.unref();
  }

  /** The buffers of the chunks are transferred. Returns the number of bytes; throws the error of `chunks`. */
  async send(chunks: AsyncIterable<Uint8Array>): Promise<number> {
    let sent = 0;
    for await (const chunk of chunks) {
      const bytes = wholeBuffer(chunk);
      sent += bytes.length;
      this.#post({ kind: 'chunk', bytes }, [bytes.buffer as ArrayBuffer]);
      while (sent - this.#taken > mostAheadBytes) {
        await new Promise<void>((resolve) => {
          this.#onTaken = resolve;
        });
      }
    }
    this.#post({ kind: 'end' });
    return sent;
  }

  close(): void {
    this.#channel.port1.close();
    // Resolves a pending wait for room.
    this.#taken = Number.POSITIVE_INFINITY;
    this.#onTaken();
  }

  #post(message: Sent, transfer: readonly ArrayBuffer[] = []): void {
    this.#channel.port1.postMessage(message, transfer);
    Atomics.add(this.#mark, 0, 1);
    Atomics.notify(this.#mark, 0);
  }
}

/** The chunks of an upload, in the thread that reads it. MUTABLE. */
export class UploadChunks {
  readonly #end: UploadEnd;

  #taken = 0;
  #reported = 0;
  #isOver = false;

  constructor(end: UploadEnd) {
    this.#end = end;
  }

  /** Blocks the thread until the next chunk has arrived; undefined at the end. */
  next(): Uint8Array | undefined {
    const { port, mark } = this.#end;
    while (!this.#isOver) {
      const seen = Atomics.load(mark, 0);
      const sent: { message: Sent } | undefined = receiveMessageOnPort(port);
      if (sent === undefined) Atomics.wait(mark, 0, seen);
      else if (sent.message.kind === 'end') this.#isOver = true;
      else return this.#take(sent.message.bytes);
    }
    return undefined;
  }

  #take(bytes: Uint8Array): Uint8Array {
    this.#taken += bytes.length;
    if (this.#taken - this.#reported >= reportedEveryBytes) {
      this.#reported = this.#taken;
      this.#end.port.postMessage(this.#taken);
    }
    return bytes;
  }
}

/** Initial size of the buffer if the size was not announced. */
const firstBytes = 1024 * 1024;

/** A document that is read while it arrives. MUTABLE: grows. */
export class IncomingBytes implements ByteSource {
  readonly #chunks: UploadChunks;
  readonly #onGrown: (bytes: Uint8Array) => void;

  readonly #hash = createHash('sha256');

  #bytes: Uint8Array;
  #length = 0;

  constructor(
    chunks: UploadChunks,
    sizeBytes: number | null,
    /** Called with all bytes that have arrived, whenever there are more. */
    onGrown: (bytes: Uint8Array) => void,
  ) {
    this.#chunks = chunks;
    this.#onGrown = onGrown;

    this.#bytes = new Uint8Array(sizeBytes ?? firstBytes);
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The SHA-256 of all bytes, once they have arrived. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  grow(): boolean {
    const chunk = this.#chunks.next();
    if (chunk === undefined) return false;
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#hash.update(chunk);
    this.#length = length;
    this.#onGrown(this.#bytes.subarray(0, length));
    return true;
  }
}
