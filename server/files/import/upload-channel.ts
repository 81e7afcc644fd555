import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { wholeBuffer } from '../../threads/whole-buffer';

/** The reading thread's end of an upload. */
export interface UploadEnd {
  readonly port: MessagePort;
  /** One number, which is another one whenever something new is in the port. */
  readonly mark: Int32Array;
  /** As announced; null: it was not. */
  readonly sizeBytes: number | null;
}

type Sent = { readonly kind: 'chunk'; readonly bytes: Uint8Array } | { readonly kind: 'end' };

/** More is not sent before some of it was taken: what comes faster than it is read waits with who sends it. */
const mostAheadBytes = 128 * 1024 * 1024;
/** Reported so often: each time costs both sides. */
const reportedEveryBytes = 8 * 1024 * 1024;

/** Sends an upload to the thread that reads it, as it comes in: no byte is copied here, and none waits on a disk. */
export class UploadSender {
  readonly #channel = new MessageChannel();
  readonly #mark = new Int32Array(new SharedArrayBuffer(4));
  #taken = 0;
  #onTaken = (): void => undefined;

  /** To be transferred to the thread. */
  readonly end: UploadEnd;

  constructor(sizeBytes: number | null) {
    this.end = { port: this.#channel.port2, mark: this.#mark, sizeBytes };
    this.#channel.port1.on('message', (taken: number) => {
      this.#taken = taken;
      this.#onTaken();
    });
    this.#channel.port1.unref();
  }

  /** `chunks` are given away. Returns how many bytes they were; throws what they throw. */
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
    // Who waits for room would wait for ever.
    this.#taken = Number.POSITIVE_INFINITY;
    this.#onTaken();
  }

  #post(message: Sent, transfer: readonly ArrayBuffer[] = []): void {
    this.#channel.port1.postMessage(message, transfer);
    Atomics.add(this.#mark, 0, 1);
    Atomics.notify(this.#mark, 0);
  }
}

/** What is sent, in the thread that reads it. MUTABLE. */
export class UploadChunks {
  #taken = 0;
  #reported = 0;
  #isOver = false;

  constructor(private readonly end: UploadEnd) {}

  /** The next bytes; holds up this thread until they are there. undefined: these were all. */
  next(): Uint8Array | undefined {
    const { port, mark } = this.end;
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
      this.end.port.postMessage(this.#taken);
    }
    return bytes;
  }
}
