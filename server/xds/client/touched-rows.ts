const namesKept = 1_000;

/** The names of changed rows, for one reader at a time. */
export class TouchedRows {
  readonly #names = new Set<string>();
  /** More than `namesKept` rows have changed, so no list is kept. */
  #isAll = true;
  /** The reader of the last take(); another reader has read no row yet. */
  #reader: WeakRef<object> | undefined;

  add(name: string): void {
    if (this.#isAll) return;
    this.#names.add(name);
    this.#isAll = this.#names.size > namesKept;
  }

  /** Returns null if any row may have changed. */
  take(reader: object): readonly string[] | null {
    const isKnown = !this.#isAll && this.#reader?.deref() === reader;
    const names = isKnown ? [...this.#names] : null;
    this.#names.clear();
    this.#isAll = false;
    this.#reader = new WeakRef(reader);
    return names;
  }
}
