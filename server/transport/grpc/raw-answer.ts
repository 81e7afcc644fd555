import { createHash } from 'node:crypto';
import type { MessageSink } from './frame-reader';

const blockBytes = 64 * 1024;
/** Free blocks beyond these 4 MiB are left to the garbage collector. */
const blocksKept = 64;
/** The blocks of this thread that no answer holds. */
const freeBlocks: Buffer[] = [];
/**
 * Bytes of answers after which the new objects of the heap are collected. Answers are outside of the heap, and V8 would
 * otherwise collect the whole heap for every few megabytes of them, which is each second in a fleet of 10,000.
 */
const garbageBytes = 4 * 1024 * 1024;
let receivedBytes = 0;

/**
 * A message that is hashed while it arrives and joined only if it is read. Most answers of a poll equal the one before and
 * are released unread; their blocks are reused, so that they leave no garbage.
 */
export class RawAnswer implements MessageSink {
  readonly #onComplete: (answer: RawAnswer) => void;
  readonly #hash = createHash('sha256');
  /** All blocks but the last one are full. */
  #blocks: Buffer[] = [];
  /** Bytes in use of the last block. */
  #used = blockBytes;
  #digest: string | undefined;

  constructor(
    readonly sizeBytes: number,
    onComplete: (answer: RawAnswer) => void,
  ) {
    this.#onComplete = onComplete;
  }

  /** SHA-256 of the complete message, in hex. Valid after end(). */
  get digest(): string {
    this.#digest ??= this.#hash.digest('hex');
    return this.#digest;
  }

  write(bytes: Buffer): void {
    let from = 0;
    while (from < bytes.length) {
      if (this.#used === blockBytes) this.#addBlock();
      const copied = bytes.copy(this.#last, this.#used, from);
      this.#used += copied;
      from += copied;
      if (this.#used === blockBytes) this.#hash.update(this.#last);
    }
  }

  end(): undefined {
    if (this.#used < blockBytes) this.#hash.update(this.#last.subarray(0, this.#used));
    receivedBytes += this.sizeBytes;
    if (receivedBytes >= garbageBytes) {
      receivedBytes = 0;
      setImmediate(() => globalThis.gc?.({ type: 'minor' }));
    }
    this.#onComplete(this);
  }

  /** Returns the message in one piece and releases its blocks. Called at most once, instead of release(). */
  take(): Buffer {
    const bytes = Buffer.concat(this.#blocks, this.sizeBytes);
    this.release();
    return bytes;
  }

  /** Makes the blocks available to other answers. Without it they become garbage. */
  release(): void {
    const room = blocksKept - freeBlocks.length;
    if (room > 0) freeBlocks.push(...this.#blocks.slice(0, room));
    this.#blocks = [];
  }

  get #last(): Buffer {
    // There is no block only if the message is empty.
    return this.#blocks.at(-1) ?? Buffer.alloc(0);
  }

  #addBlock(): void {
    this.#blocks.push(freeBlocks.pop() ?? Buffer.allocUnsafeSlow(blockBytes));
    this.#used = 0;
  }
}
