/** The names of a response, in its order: servers mostly send the next one in the same. */
export class ResponseOrder {
  #places: Map<string, number> | undefined;

  constructor(readonly names: readonly string[]) {}

  /** -1 where it was not in the response. Made when it is first asked for: an order that repeats itself needs none. */
  placeOf(name: string): number {
    if (this.#places === undefined) {
      this.#places = new Map();
      for (const [place, each] of this.names.entries()) this.#places.set(each, place);
    }
    return this.#places.get(name) ?? -1;
  }
}

export const noOrder = new ResponseOrder([]);
