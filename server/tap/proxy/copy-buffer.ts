/** At least so much is reserved at once. */
const leastBytes = 512;
/** And so much at most for what a batch may bring: a larger one grows. */
const mostReservedBytes = 1024 * 1024;

/** Bytes of many chunks, one after the other, in one buffer that is handed over whole: each is copied once. */
export class CopyBuffer {
  #bytes = new Uint8Array(0);
  #length = 0;
  /** Of the buffer before: traffic comes in batches that are alike. */
  #reserve = leastBytes;

  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** What was added, and room behind it; begins anew. */
  take(): ArrayBuffer {
    const { buffer } = this.#bytes;
    const wanted = Math.max(leastBytes, this.#length);
    // It shrinks slowly: one small batch between large ones costs nothing.
    this.#reserve = Math.min(mostReservedBytes, Math.max(wanted, Math.ceil(this.#reserve / 2)));
    this.clear();
    return buffer;
  }

  clear(): void {
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.max(length, this.#reserve, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
