/** Reads bytes that arrive in chunks in other amounts. Holds the requested bytes and the remainder of one chunk. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isOver = false;
  /** Number of bytes that were taken. */
  position = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns fewer bytes only at the end. */
  async take(count: number): Promise<Buffer> {
    await this.#hold(count);
    const all = this.#joined();
    const taken = all.subarray(0, count);
    this.#keep(all.subarray(taken.length));
    this.position += taken.length;
    return taken;
  }

  /** Puts back the bytes that were taken last. */
  putBack(bytes: Buffer): void {
    this.#held.unshift(bytes);
    this.#heldBytes += bytes.length;
    this.position -= bytes.length;
  }

  /** Skips to the next `wanted`; false if there is none. */
  async skipTo(wanted: Buffer): Promise<boolean> {
    for (;;) {
      await this.#hold(64 * 1024);
      const all = this.#joined();
      const found = all.indexOf(wanted);
      // The held bytes may end within `wanted`.
      const passed = found === -1 ? Math.max(0, all.length - (wanted.length - 1)) : found;
      this.#keep(all.subarray(passed));
      this.position += passed;
      if (found !== -1) return true;
      if (this.#isOver && this.#heldBytes < wanted.length) return false;
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #hold(count: number): Promise<void> {
    while (this.#heldBytes < count && !this.#isOver) {
      const { done, value } = await this.#chunks.next();
      if (done === true) this.#isOver = true;
      else {
        this.#held.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
        this.#heldBytes += value.byteLength;
      }
    }
  }

  #joined(): Buffer {
    const [only] = this.#held;
    return this.#held.length === 1 && only !== undefined ? only : Buffer.concat(this.#held);
  }

  #keep(bytes: Buffer): void {
    this.#held = bytes.length === 0 ? [] : [bytes];
    this.#heldBytes = bytes.length;
  }
}
