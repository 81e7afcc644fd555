/**
 * How much is held of messages that have begun and are not whole, by owner. Each is bounded by the size of a message;
 * this bounds all of them together, so that many streams that stop in the middle cost no more than one.
 */
export class UnfinishedMessages<T> {
  readonly #held = new Map<T, number>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** It holds so much now. Answers who has to give up: who holds the most, until all fit; mostly nobody. */
  hold(owner: T, bytes: number): readonly T[] {
    this.release(owner);
    if (bytes > 0) this.#held.set(owner, bytes);
    this.#bytes += bytes;
    const over: T[] = [];
    while (this.#bytes > this.maxBytes) {
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
