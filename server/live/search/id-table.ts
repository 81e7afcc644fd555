/** The largest share of used slots. */
const fullest = 0.8;
const firstSlots = 1 << 10;

/** Finds ids by the hash of their keys, which the caller compares. Ids are not removed. */
export class IdTable {
  /** Each slot has an id plus 1; 0 is free. */
  #slots = new Uint32Array(firstSlots);
  #used = 0;

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** Returns undefined if `isIt` is true for no id of the hash. */
  find(hash: number, isIt: (id: number) => boolean): number | undefined {
    const mask = this.#slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const id = (this.#slots[at] ?? 0) - 1;
      if (id < 0) return undefined;
      if (isIt(id)) return id;
    }
  }

  /** The id must not be in the table. `hashOf` returns the hashes of earlier ids. */
  add(hash: number, id: number, hashOf: (id: number) => number): void {
    if (this.#used + 1 > this.#slots.length * fullest) this.#grow(hashOf);
    place(this.#slots, hash, id);
    this.#used += 1;
  }

  #grow(hashOf: (id: number) => number): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    for (const slot of this.#slots) if (slot > 0) place(slots, hashOf(slot - 1), slot - 1);
    this.#slots = slots;
  }
}

function place(slots: Uint32Array, hash: number, id: number): void {
  const mask = slots.length - 1;
  let at = hash & mask;
  while (slots[at] !== 0) at = (at + 1) & mask;
  slots[at] = id + 1;
}
