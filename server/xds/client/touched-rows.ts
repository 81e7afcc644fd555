const namesKept = 1_000;

/** Names of rows that changed, for one reader at a time that wants to follow. */
export class TouchedRows {
  readonly #names = new Set<string>();
  /** More than are worth a list. */
  #isAll = true;
  /** Who asked last. Another reader knows nothing yet. */
  #reader: WeakRef<object> | undefined;

  add(name: string): void {
    if (this.#isAll) return;
    this.#names.add(name);
    this.#isAll = this.#names.size > namesKept;
  }

  /** null: any may have changed. */
  take(reader: object): readonly string[] | null {
    const isKnown = !this.#isAll && this.#reader?.deref() === reader;
    const names = isKnown ? [...this.#names] : null;
    this.#names.clear();
    this.#isAll = false;
    this.#reader = new WeakRef(reader);
    return names;
  }
}
