import type { RepeatableResource } from './cached-resource';

/** Finds the held resource that the next response may repeat. */
export type FindRepeatable = (name: string) => RepeatableResource | undefined;

/**
 * The names of a response in its order, which servers usually keep, and the held resource of each. These are plain arrays,
 * because they may have 100,000 elements and are traversed at each response.
 */
export class ResponseOrder {
  readonly held: (RepeatableResource | undefined)[];
  readonly typeUrlBytes: Buffer;
  /** Incremented with each change of `held`. */
  revision = 0;
  #places: Map<string, number> | undefined;

  constructor(
    readonly typeUrl: string,
    readonly names: readonly string[],
    find: FindRepeatable,
  ) {
    this.typeUrlBytes = Buffer.from(typeUrl);
    this.held = names.map(find);
  }

  /** Returns -1 if the response did not contain the name. The index is built on first use. */
  placeOf(name: string): number {
    if (this.#places === undefined) {
      this.#places = new Map();
      for (let place = 0; place < this.names.length; place++)
        this.#places.set(this.names[place] ?? '', place);
    }
    return this.#places.get(name) ?? -1;
  }

  /** Updates the held resources of changed or removed names. */
  refresh(names: Iterable<string>, find: FindRepeatable): void {
    for (const name of names) {
      const place = this.placeOf(name);
      if (place < 0) continue;
      this.held[place] = find(name);
      this.revision += 1;
    }
  }

  refreshAll(find: FindRepeatable): void {
    this.revision += 1;
    for (let place = 0; place < this.names.length; place++) this.held[place] = find(this.names[place] ?? '');
  }
}
