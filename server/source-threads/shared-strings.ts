/**
 * Equal strings that cross the threads arrive as a new string each time. Those that many rows have (type URLs,
 * versions, statuses) are made one here.
 */
export class SharedStrings {
  readonly #known = new Map<string, string>();

  /** When more different ones came, it begins anew. */
  constructor(private readonly mostKept = 1_000) {}

  share<T extends string>(text: T): T {
    const known = this.#known.get(text);
    // A string that is equal to one of a narrower type is of that type.
    if (known !== undefined) return known as T;
    if (this.#known.size >= this.mostKept) this.#known.clear();
    this.#known.set(text, text);
    return text;
  }
}
