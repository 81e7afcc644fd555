import { createHash } from 'node:crypto';
import type { MessageSink } from './message-sink';

/** An answer as it comes in from the network: hashed piece by piece, and put together only where somebody reads it. */
export class RawAnswer implements MessageSink {
  readonly #hash = createHash('sha256');
  readonly #pieces: Buffer[] = [];
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
    this.#hash.update(bytes);
    this.#pieces.push(bytes);
  }

  end(): undefined {
    this.onComplete(this);
  }

  /** All of it in one piece. */
  join(): Buffer {
    return Buffer.concat(this.#pieces, this.sizeBytes);
  }
}
