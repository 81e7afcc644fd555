/**
 * Shares equal strings that cross the threads, each of which arrives as a new string: type URLs, versions and statuses
 * of many rows.
 */
export class SharedStrings {
  readonly #mostKept: number;

  readonly #known = new Map<string, string>();

  /** Limit of the different strings. Beyond it the cache is cleared. */
  constructor(mostKept = 1_000) {
    this.#mostKept = mostKept;
  }

  share<T extends string>(text: T): T {
    const known = this.#known.get(text);
    // A string that is equal to one of a narrower type is of that type.
    if (known !== undefined) return known as T;
    if (this.#known.size >= this.#mostKept) this.#known.clear();
    this.#known.set(text, text);
    return text;
  }
}
