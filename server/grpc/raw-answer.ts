import { createHash } from 'node:crypto';
import type { MessageSink } from './message-sink';

const blockBytes = 64 * 1024;
/** 4 MiB. */
const blocksKept = 64;
/** Of this thread: no answer holds them now. */
const freeBlocks: Buffer[] = [];

/**
 * An answer as it comes in from the network: hashed, and put together only where somebody reads it. Most are the same as
 * the one before and let go at once; that leaves no garbage, since the blocks that they lie in are used again.
 */
export class RawAnswer implements MessageSink {
  readonly #hash = createHash('sha256');
  /** All but the last one are full. */
  #blocks: Buffer[] = [];
  /** Of the last block. */
  #used = blockBytes;
  #digest: string | undefined;

  constructor(
    readonly sizeBytes: number,
    private readonly onComplete: (answer: RawAnswer) => void,
  ) {}

  /** SHA-256, hex. Of a complete answer. */
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
    this.onComplete(this);
  }

  /** All of it in one piece: once, and in place of release(). */
  take(): Buffer {
    const bytes = Buffer.concat(this.#blocks, this.sizeBytes);
    this.release();
    return bytes;
  }

  /** Nobody wants it. Who does neither makes garbage, and no harm. */
  release(): void {
    const room = blocksKept - freeBlocks.length;
    if (room > 0) freeBlocks.push(...this.#blocks.slice(0, room));
    this.#blocks = [];
  }

  get #last(): Buffer {
    // Somebody asks for it after a block was added, or of an answer without a byte.
    return this.#blocks.at(-1) ?? Buffer.alloc(0);
  }

  #addBlock(): void {
    this.#blocks.push(freeBlocks.pop() ?? Buffer.allocUnsafeSlow(blockBytes));
    this.#used = 0;
  }
}
