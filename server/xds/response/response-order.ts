import type { SettledResource } from './cached-resource';

/** What lies at a place of a response: nothing, or what is in use, which another response may repeat. */
export type FindSettled = (name: string) => SettledResource | undefined;

/**
 * The names of a response in its order, since servers mostly send the next one in the same, and what we hold of each.
 * In plain lists: there may be 100,000, and they are gone through at each response.
 */
export class ResponseOrder {
  readonly held: (SettledResource | undefined)[];
  /** As it is on the wire. */
  readonly typeUrlBytes: Buffer;
  /** Another number whenever `held` may be another. */
  revision = 0;
  #places: Map<string, number> | undefined;

  constructor(
    readonly typeUrl: string,
    readonly names: readonly string[],
    find: FindSettled,
  ) {
    this.typeUrlBytes = Buffer.from(typeUrl);
    this.held = names.map(find);
  }

  /** -1 where it was not in the response. The index is made when it is first asked for. */
  placeOf(name: string): number {
    if (this.#places === undefined) {
      this.#places = new Map();
      for (let place = 0; place < this.names.length; place++)
        this.#places.set(this.names[place] ?? '', place);
    }
    return this.#places.get(name) ?? -1;
  }

  /** These were changed, or went. */
  refresh(names: Iterable<string>, find: FindSettled): void {
    for (const name of names) {
      const place = this.placeOf(name);
      if (place < 0) continue;
      this.held[place] = find(name);
      this.revision += 1;
    }
  }

  refreshAll(find: FindSettled): void {
    this.revision += 1;
    for (let place = 0; place < this.names.length; place++) this.held[place] = find(this.names[place] ?? '');
  }
}
