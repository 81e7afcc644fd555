const pageBits = 16;
const pageSize = 1 << pageBits;

/** A growing list of unsigned integers. It grows by pages, so that growing neither copies nor reserves as much again. */
export class PagedNumbers {
  readonly #bytesEach: 1 | 4;

  readonly #pages: (Uint8Array | Uint32Array)[] = [];
  #length = 0;

  constructor(bytesEach: 1 | 4 = 4) {
    this.#bytesEach = bytesEach;
  }

  /** All pages but the last one are full. A loop over a page is many times as fast as calls of get(). */
  get pages(): readonly (Uint8Array | Uint32Array)[] {
    return this.#pages;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#pages.length * pageSize * this.#bytesEach;
  }

  push(value: number): number {
    const index = this.#length;
    const at = index & (pageSize - 1);
    if (at === 0)
      this.#pages.push(this.#bytesEach === 1 ? new Uint8Array(pageSize) : new Uint32Array(pageSize));
    this.#length = index + 1;
    this.set(index, value);
    return index;
  }

  get(index: number): number {
    return this.#pages[index >>> pageBits]?.[index & (pageSize - 1)] ?? 0;
  }

  set(index: number, value: number): void {
    const page = this.#pages[index >>> pageBits];
    if (page !== undefined) page[index & (pageSize - 1)] = value;
  }
}
