const none: ReadonlySet<string> = new Set();

/** Maps resources to the subscriptions by alias (Resource.aliases) that they satisfy. */
export class AliasRows {
  readonly #byName = new Map<string, Set<string>>();
  readonly #nameOf = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  of(name: string): ReadonlySet<string> {
    return this.#byName.get(name) ?? none;
  }

  add(name: string, alias: string): void {
    if (alias === name || this.#nameOf.get(alias) === name) return;
    this.forget(alias);
    this.#nameOf.set(alias, name);
    this.#byName.set(name, new Set(this.of(name)).add(alias));
  }

  forget(alias: string): void {
    const name = this.#nameOf.get(alias);
    if (name === undefined) return;
    this.#nameOf.delete(alias);
    const left = new Set(this.of(name));
    left.delete(alias);
    if (left.size === 0) this.#byName.delete(name);
    else this.#byName.set(name, left);
  }
}
