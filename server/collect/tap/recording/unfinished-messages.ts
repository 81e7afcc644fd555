/** The held bytes of incomplete messages by owner, with a limit for all owners together. */
export class UnfinishedMessages<T> {
  readonly #maxBytes: number;
  readonly #held = new Map<T, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Sets the held bytes of an owner. Returns the owners with the most bytes that must discard them for all to fit. */
  hold(owner: T, bytes: number): readonly T[] {
    this.release(owner);
    if (bytes > 0) this.#held.set(owner, bytes);
    this.#bytes += bytes;
    const over: T[] = [];
    while (this.#bytes > this.#maxBytes) {
      const [largest] = [...this.#held].reduce((a, b) => (b[1] > a[1] ? b : a));
      this.release(largest);
      over.push(largest);
    }
    return over;
  }

  release(owner: T): void {
    this.#bytes -= this.#held.get(owner) ?? 0;
    this.#held.delete(owner);
  }
}
