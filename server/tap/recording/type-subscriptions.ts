export interface Wants {
  wildcard: boolean;
  names: ReadonlySet<string>;
}

/** The subscriptions of a client's open streams that have requested one type. */
export class TypeSubscriptions {
  readonly #streams = new Set<Wants>();

  add(wants: Wants): void {
    this.#streams.add(wants);
  }

  remove(wants: Wants): void {
    this.#streams.delete(wants);
  }

  /** Returns whether another stream of the client requests the type, so that this subscription is not complete. */
  isShared(wants: Wants): boolean {
    return this.#streams.size > (this.#streams.has(wants) ? 1 : 0);
  }

  isWanted(name: string): boolean {
    for (const wants of this.#streams) if (wants.wildcard || wants.names.has(name)) return true;
    return false;
  }

  isNamed(name: string): boolean {
    for (const { names } of this.#streams) if (names.has(name)) return true;
    return false;
  }

  /** Returns whether the stream with this subscription receives the resource, rather than another stream. */
  isOf(wants: Wants, name: string): boolean {
    return wants.names.has(name) || (wants.wildcard && !this.isNamed(name)) || !this.isWanted(name);
  }
}
