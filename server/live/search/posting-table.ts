import { IdTable } from './id-table';

/** A text occurs at an owner: a resource name at a client, or an address in a payload. */
interface Posting {
  readonly owner: number;
  /** Any number of the caller, with `mark` below 256. */
  readonly mark: number;
  readonly tag: number;
}

const noOwner = 0xffff_ffff;
/** Removed postings take space until they are this share of all. */
const mostRemoved = 0.25;
const fewRemoved = 4_096;

/** Stores which texts occur at which owners. A pair of text and owner has one posting. */
export class PostingTable {
  #owners = new PagedNumbers();
  #texts = new PagedNumbers();
  #marks = new PagedNumbers(1);
  #tags = new PagedNumbers();
  /** The next posting of the text, plus 1; 0: none. */
  #next = new PagedNumbers();
  /** `#first` has the first posting of each text plus 1, and `#counts` the number of its postings. */
  #first = new PagedNumbers();
  readonly #counts = new PagedNumbers();
  #table = new IdTable();
  #removed = 0;

  get count(): number {
    return this.#owners.length - this.#removed;
  }

  get bytes(): number {
    const columns = [
      this.#owners,
      this.#texts,
      this.#marks,
      this.#tags,
      this.#next,
      this.#first,
      this.#counts,
    ];
    return columns.reduce((sum, { bytes }) => sum + bytes, this.#table.bytes);
  }

  /** The number of owners of a text. */
  countOf(text: number): number {
    return this.#counts.get(text);
  }

  set(text: number, { owner, mark, tag }: Posting): void {
    const known = this.#find(text, owner);
    if (known !== undefined) {
      this.#marks.set(known, mark);
      this.#tags.set(known, tag);
      return;
    }
    while (this.#counts.length <= text) this.#counts.push(0);
    this.#counts.set(text, this.#counts.get(text) + 1);
    this.#append(text, { owner, mark, tag });
  }

  remove(text: number, owner: number): void {
    const known = this.#find(text, owner);
    if (known === undefined) return;
    this.#drop(known);
    this.#compactIfNeeded();
  }

  /** Removes all postings of these owners. */
  removeOwners(owners: ReadonlySet<number>): void {
    if (owners.size === 0) return;
    let from = 0;
    const { length } = this.#owners;
    for (const page of this.#owners.pages) {
      const count = Math.min(page.length, length - from);
      for (let at = 0; at < count; at++) if (owners.has(page[at] ?? noOwner)) this.#drop(from + at);
      from += page.length;
    }
    this.#compactIfNeeded();
  }

  *postingsOf(text: number): Generator<Posting> {
    for (let id = this.#first.get(text) - 1; id >= 0; id = this.#next.get(id) - 1) {
      const owner = this.#owners.get(id);
      if (owner !== noOwner) yield { owner, mark: this.#marks.get(id), tag: this.#tags.get(id) };
    }
  }

  /** The texts that have a posting with one of these marks, each once. `isWanted` has 256 elements. */
  textsWithMark(isWanted: Uint8Array): Set<number> {
    const texts = new Set<number>();
    this.#scan(
      this.#marks,
      (mark) => isWanted[mark] === 1,
      (id) => texts.add(this.#texts.get(id)),
    );
    return texts;
  }

  /** The texts by tag of the wanted tags, of which `highBits` has the upper 16 bits. */
  textsByTag(highBits: Iterable<number>, isWanted: (tag: number) => boolean): Map<number, Set<number>> {
    const isLikely = new Uint8Array(1 << 16);
    for (const bits of highBits) isLikely[bits] = 1;
    const found = new Map<number, Set<number>>();
    this.#scan(
      this.#tags,
      (tag) => isLikely[tag >>> 16] === 1,
      (id) => {
        const tag = this.#tags.get(id);
        if (!isWanted(tag)) return;
        const texts = found.get(tag) ?? new Set<number>();
        found.set(tag, texts.add(this.#texts.get(id)));
      },
    );
    return found;
  }

  /** The tags of all postings. */
  tags(): Set<number> {
    const tags = new Set<number>();
    for (let id = 0; id < this.#owners.length; id++) {
      if (this.#owners.get(id) !== noOwner) tags.add(this.#tags.get(id));
    }
    return tags;
  }

  /** Calls `found` with the postings whose value in the column is likely to be wanted. */
  #scan(column: PagedNumbers, isLikely: (value: number) => boolean, found: (id: number) => void): void {
    const { length } = this.#owners;
    let from = 0;
    for (const page of column.pages) {
      const count = Math.min(page.length, length - from);
      for (let at = 0; at < count; at++) {
        if (isLikely(page[at] ?? 0) && this.#owners.get(from + at) !== noOwner) found(from + at);
      }
      from += page.length;
    }
  }

  #find(text: number, owner: number): number | undefined {
    return this.#table.find(
      hashOf(text, owner),
      (id) => this.#owners.get(id) === owner && this.#texts.get(id) === text,
    );
  }

  #append(text: number, { owner, mark, tag }: Posting): void {
    while (this.#first.length <= text) this.#first.push(0);
    const id = this.#owners.push(owner);
    this.#texts.push(text);
    this.#marks.push(mark);
    this.#tags.push(tag);
    this.#next.push(this.#first.get(text));
    this.#first.set(text, id + 1);
    this.#table.add(hashOf(text, owner), id, (each) => hashOf(this.#texts.get(each), this.#owners.get(each)));
  }

  #drop(id: number): void {
    const text = this.#texts.get(id);
    this.#owners.set(id, noOwner);
    this.#counts.set(text, this.#counts.get(text) - 1);
    this.#removed += 1;
  }

  /** Adds what remains to new columns. */
  #compactIfNeeded(): void {
    if (this.#removed < fewRemoved || this.#removed < this.#owners.length * mostRemoved) return;
    const [owners, texts, marks, tags] = [this.#owners, this.#texts, this.#marks, this.#tags];
    this.#owners = new PagedNumbers();
    this.#texts = new PagedNumbers();
    this.#marks = new PagedNumbers(1);
    this.#tags = new PagedNumbers();
    this.#next = new PagedNumbers();
    this.#first = new PagedNumbers();
    this.#table = new IdTable();
    this.#removed = 0;
    for (let id = 0; id < owners.length; id++) {
      const owner = owners.get(id);
      if (owner !== noOwner) this.#append(texts.get(id), { owner, mark: marks.get(id), tag: tags.get(id) });
    }
  }
}

function hashOf(text: number, owner: number): number {
  let hash = Math.imul(text + 1, 0x9e37_79b1) ^ Math.imul(owner + 1, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

const pageBits = 16;
const pageSize = 1 << pageBits;

/** A growing list of unsigned integers. It grows by pages, so that growing neither copies nor reserves as much again. */
class PagedNumbers {
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
