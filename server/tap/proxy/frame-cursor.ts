/** One byte of flags, four of length, before each message of gRPC. */
export const framePrefixBytes = 5;

/**
 * Follows where the messages of one direction begin and end, without looking into them: all that has to be known to
 * leave some out and go on with a whole one.
 */
export class FrameCursor {
  /** Of the prefix that is being read. */
  #prefixBytes = 0;
  #lengthBytes = 0;
  /** Of the message that is being read. */
  #missingBytes = 0;

  /** At the beginning of a message, or of what will be one. */
  get isAtBoundary(): boolean {
    return this.#prefixBytes === 0 && this.#missingBytes === 0;
  }

  /** Answers how many messages begin in it. */
  takeAll(chunk: Uint8Array): number {
    let begun = 0;
    for (let position = 0; position < chunk.length; ) {
      if (this.isAtBoundary) begun += 1;
      position += this.take(chunk, position);
    }
    return begun;
  }

  /** Takes bytes up to the next end of a message, or all. Answers how many. */
  take(chunk: Uint8Array, from: number): number {
    let position = from;
    while (position < chunk.length) {
      if (this.#missingBytes > 0) {
        const step = Math.min(this.#missingBytes, chunk.length - position);
        this.#missingBytes -= step;
        position += step;
        if (this.#missingBytes === 0) return position - from;
        continue;
      }
      if (this.#prefixBytes > 0) this.#lengthBytes = this.#lengthBytes * 256 + (chunk[position] ?? 0);
      this.#prefixBytes += 1;
      position += 1;
      if (this.#prefixBytes < framePrefixBytes) continue;
      this.#missingBytes = this.#lengthBytes;
      this.#prefixBytes = 0;
      this.#lengthBytes = 0;
      if (this.#missingBytes === 0) return position - from;
    }
    return position - from;
  }
}
