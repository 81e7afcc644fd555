/** What lies at a place of a response: nothing, or the bytes in use, which another response may repeat. */
export type FindSettled = (name: string) => Uint8Array | undefined;

const nothing = Buffer.alloc(0);

/**
 * The names of a response in its order, since servers mostly send the next one in the same, and where the bytes that we
 * hold of each are. In plain lists: there may be 100,000, and they are gone through at each response.
 */
export class ResponseOrder {
  /** The whole buffer in which the bytes are; of no length where there are none. */
  readonly buffers: Buffer[];
  readonly starts: number[];
  readonly ends: number[];
  /** As it is on the wire. */
  readonly typeUrlBytes: Buffer;
  #places: Map<string, number> | undefined;

  constructor(
    readonly typeUrl: string,
    readonly names: readonly string[],
    find: FindSettled,
  ) {
    this.typeUrlBytes = Buffer.from(typeUrl);
    this.buffers = new Array<Buffer>(names.length);
    this.starts = new Array<number>(names.length);
    this.ends = new Array<number>(names.length);
    this.refreshAll(find);
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
      if (place >= 0) this.#hold(place, find(name), undefined);
    }
  }

  refreshAll(find: FindSettled): void {
    const { names } = this;
    let last: Buffer | undefined;
    for (let place = 0; place < names.length; place++) {
      last = this.#hold(place, find(names[place] ?? ''), last);
    }
  }

  /** `last`: mostly they lie in one buffer, which needs no view of its own each time. */
  #hold(place: number, bytes: Uint8Array | undefined, last: Buffer | undefined): Buffer | undefined {
    const isSame = bytes !== undefined && last !== undefined && last.buffer === bytes.buffer;
    const buffer = bytes === undefined ? nothing : isSame ? last : Buffer.from(bytes.buffer);
    this.buffers[place] = buffer;
    this.starts[place] = bytes?.byteOffset ?? 0;
    this.ends[place] = bytes === undefined ? 0 : bytes.byteOffset + bytes.length;
    return bytes === undefined ? last : buffer;
  }
}
