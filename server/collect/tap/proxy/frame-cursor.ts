/** The prefix of a gRPC message: one byte of flags and four of length. */
export const framePrefixBytes = 5;

/** Tracks the boundaries of the messages of one direction, so that some can be omitted and copying resumes with a complete one. */
export class FrameCursor {
  #prefixBytes = 0;
  #lengthBytes = 0;
  #missingBytes = 0;

  /** States whether the next byte begins a message. */
  get isAtBoundary(): boolean {
    return this.#prefixBytes === 0 && this.#missingBytes === 0;
  }

  /** Reads the chunk, and returns the number of messages that begin in it. */
  readAll(chunk: Uint8Array): number {
    let begun = 0;
    for (let position = 0; position < chunk.length; ) {
      if (this.isAtBoundary) begun += 1;
      position += this.read(chunk, position);
    }
    return begun;
  }

  /** Reads up to the next end of a message, and returns the number of read bytes. */
  read(chunk: Uint8Array, from: number): number {
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
