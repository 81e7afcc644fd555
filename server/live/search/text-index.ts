import { byDescending } from '@/lib/collections/compare';
import { IdTable } from './id-table';

/** A block is searched as a whole: a smaller one is excluded more often, a larger one takes less space in the filter. */
const blockBits = 7;
const textsPerBlock = 1 << blockBits;
/** A longer text is not added. */
const longestTextBytes = 4_096;

interface Block {
  /** The texts one after the other, as UTF-8. */
  readonly bytes: Buffer;
  /** True if any of the texts has an upper-case letter. */
  hasUpper: boolean;
  /** The start of each text, and the end of the last one. */
  readonly starts: Uint32Array;
  /** The kind of each text. */
  readonly kinds: Uint8Array;
}

interface TextSearch {
  /** The words are in lower case. Each occurs in the text. */
  readonly words: readonly string[];
  readonly isWanted: (id: number) => boolean;
  readonly most: number;
  /** Limits the texts that are read, so that a search for a word that occurs everywhere ends early. */
  readonly mostBytes: number;
}

interface TextsFound {
  readonly ids: number[];
  /** False if there may be more. */
  readonly isComplete: boolean;
}

/**
 * Texts of several kinds, each once, by numbers from 0 on. They are stored as bytes outside the heap, and found by any part
 * of them; the case of ASCII letters does not matter.
 */
export class TextIndex {
  readonly #blocks: Block[] = [];
  readonly #filter = new TrigramFilter();
  readonly #table = new IdTable();
  #textBytes = 0;
  #count = 0;
  /** The block that is filled, with room for its largest size so far. */
  #open = newBlock();
  readonly #scratch = Buffer.alloc(longestTextBytes);

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    const perBlock = (textsPerBlock + 1) * Uint32Array.BYTES_PER_ELEMENT + textsPerBlock;
    return this.#textBytes + this.#blocks.length * perBlock + this.#filter.bytes + this.#table.bytes;
  }

  /** Returns the number of the text, which is added if it is new; undefined if it is too long. */
  add(kind: number, text: string): number | undefined {
    const bytes = this.#encode(text);
    if (bytes === undefined) return undefined;
    const hash = hashOf(kind, bytes);
    const known = this.#table.find(hash, (id) => this.#is(id, kind, bytes));
    if (known !== undefined) return known;
    const id = this.#count;
    this.#append(kind, bytes);
    this.#table.add(hash, id, (each) => hashOf(this.kindOf(each), this.#bytesOf(each)));
    return id;
  }

  find(kind: number, text: string): number | undefined {
    const bytes = this.#encode(text);
    return bytes && this.#table.find(hashOf(kind, bytes), (id) => this.#is(id, kind, bytes));
  }

  kindOf(id: number): number {
    return this.#blockOf(id)?.kinds[id & (textsPerBlock - 1)] ?? 0;
  }

  textOf(id: number): string {
    return this.#bytesOf(id).toString('utf8');
  }

  search({ words, isWanted, most, mostBytes }: TextSearch): TextsFound {
    const wanted = words.map((word) => Buffer.from(word)).sort(byDescending(({ length }) => length));
    const [longest, ...others] = wanted;
    const ids: number[] = [];
    let read = 0;
    const blocks = Math.ceil(this.#count / textsPerBlock);
    for (const number of this.#filter.candidates(wanted, blocks)) {
      const block = this.#blocks[number] ?? this.#open;
      const count = Math.min(textsPerBlock, this.#count - number * textsPerBlock);
      read += block.starts[count] ?? 0;
      for (const place of placesIn(block, count, longest)) {
        const id = number * textsPerBlock + place;
        if (others.length > 0) {
          const text = inLowerCase(this.#bytesOf(id));
          if (!others.every((word) => text.includes(word))) continue;
        }
        if (!isWanted(id)) continue;
        if (ids.length === most) return { ids, isComplete: false };
        ids.push(id);
      }
      if (read > mostBytes) return { ids, isComplete: false };
    }
    return { ids, isComplete: true };
  }

  #encode(text: string): Buffer | undefined {
    if (text.length > longestTextBytes) return undefined;
    const length = Buffer.byteLength(text);
    if (length > longestTextBytes) return undefined;
    this.#scratch.write(text);
    return this.#scratch.subarray(0, length);
  }

  #is(id: number, kind: number, bytes: Buffer): boolean {
    return this.kindOf(id) === kind && this.#bytesOf(id).equals(bytes);
  }

  #append(kind: number, text: Buffer): void {
    const place = this.#count & (textsPerBlock - 1);
    const start = this.#open.starts[place] ?? 0;
    if (start + text.length > this.#open.bytes.length) this.#open = enlarged(this.#open, start + text.length);
    text.copy(this.#open.bytes, start);
    this.#open.starts[place + 1] = start + text.length;
    this.#open.kinds[place] = kind;
    const hasUpper = hasUpperCase(text);
    if (hasUpper) this.#open.hasUpper = true;
    this.#filter.add(this.#count >>> blockBits, hasUpper ? inLowerCase(text) : text);
    this.#count += 1;
    this.#textBytes += text.length;
    if (place + 1 < textsPerBlock) return;
    const { bytes, starts, kinds } = this.#open;
    // A copy of the exact size; the block that is filled keeps its room.
    const sealed = Buffer.allocUnsafeSlow(start + text.length);
    bytes.copy(sealed, 0, 0, sealed.length);
    this.#blocks.push({
      bytes: sealed,
      hasUpper: this.#open.hasUpper,
      starts: starts.slice(),
      kinds: kinds.slice(),
    });
    this.#open.hasUpper = false;
  }

  #blockOf(id: number): Block | undefined {
    return this.#blocks[id >>> blockBits] ?? this.#open;
  }

  #bytesOf(id: number): Buffer {
    const block = this.#blockOf(id);
    const place = id & (textsPerBlock - 1);
    return block?.bytes.subarray(block.starts[place], block.starts[place + 1]) ?? Buffer.alloc(0);
  }
}

function newBlock(): Block {
  return {
    bytes: Buffer.alloc(textsPerBlock * 64),
    hasUpper: false,
    starts: new Uint32Array(textsPerBlock + 1),
    kinds: new Uint8Array(textsPerBlock),
  };
}

function enlarged(block: Block, size: number): Block {
  const larger = Buffer.alloc(Math.max(size, block.bytes.length * 2));
  block.bytes.copy(larger);
  return { ...block, bytes: larger };
}

/** Yields the places of the texts that contain the word, or of all texts without a word. */
function* placesIn(block: Block, count: number, word: Buffer | undefined): Generator<number> {
  const { starts } = block;
  if (word === undefined) {
    for (let place = 0; place < count; place++) yield place;
    return;
  }
  const end = starts[count] ?? 0;
  const bytes = block.hasUpper ? inLowerCase(block.bytes.subarray(0, end)) : block.bytes;
  let place = 0;
  for (let at = bytes.indexOf(word); at !== -1 && at < end; ) {
    while ((starts[place + 1] ?? end) <= at) place += 1;
    const textEnd = starts[place + 1] ?? end;
    if (at + word.length <= textEnd) {
      yield place;
      at = bytes.indexOf(word, textEnd);
    } else at = bytes.indexOf(word, at + 1);
  }
}

function isUpper(byte: number): boolean {
  return byte >= 65 && byte <= 90;
}

function hasUpperCase(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) if (isUpper(bytes[at] ?? 0)) return true;
  return false;
}

/** ASCII letters in lower case; other bytes stay, so that positions do. */
function inLowerCase(bytes: Buffer): Buffer {
  const lower = Buffer.from(bytes);
  for (let at = 0; at < lower.length; at++) {
    const byte = lower[at] ?? 0;
    if (isUpper(byte)) lower[at] = byte + 32;
  }
  return lower;
}

/** FNV-1a. */
function hashOf(kind: number, bytes: Uint8Array): number {
  let hash = Math.imul(0x811c_9dc5 ^ kind, 0x0100_0193);
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x0100_0193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const buckets = 8_192;

/** Blocks of one page, as 32-bit words of one bucket. */
const wordsPerPage = 32;
const blocksPerPage = wordsPerPage * 32;

/**
 * Stores for each block of texts which trigrams (three consecutive bytes) occur in it, by a hash of 13 bits. A block
 * that lacks a trigram of a word does not contain the word; the caller searches the others. Texts are added, never
 * removed.
 */
class TrigramFilter {
  /** A page has the bits of all buckets for 1,024 blocks. */
  readonly #pages: Uint32Array[] = [];

  get bytes(): number {
    return this.#pages.length * buckets * wordsPerPage * Uint32Array.BYTES_PER_ELEMENT;
  }

  add(block: number, text: Uint8Array): void {
    const number = Math.floor(block / blocksPerPage);
    while (this.#pages.length <= number) this.#pages.push(new Uint32Array(buckets * wordsPerPage));
    const page = this.#pages[number];
    if (page === undefined) return;
    const inPage = block % blocksPerPage;
    const [word, bit] = [inPage >>> 5, 1 << (inPage & 31)];
    for (let at = 0; at + 2 < text.length; at++) {
      const place = bucketAt(text, at) * wordsPerPage + word;
      page[place] = (page[place] ?? 0) | bit;
    }
  }

  /** The blocks that may contain all words, in ascending order. A word of fewer than three bytes excludes none. */
  *candidates(words: readonly Uint8Array[], blocks: number): Generator<number> {
    const wanted = new Set<number>();
    for (const word of words) for (let at = 0; at + 2 < word.length; at++) wanted.add(bucketAt(word, at));
    for (const [number, page] of this.#pages.entries()) {
      for (let word = 0; word < wordsPerPage; word++) {
        let bits = 0xffff_ffff;
        for (const bucket of wanted) bits &= page[bucket * wordsPerPage + word] ?? 0;
        for (; bits !== 0; bits &= bits - 1) {
          const block = number * blocksPerPage + word * 32 + (31 - Math.clz32(bits & -bits));
          if (block < blocks) yield block;
        }
      }
    }
  }
}

function bucketAt(text: Uint8Array, at: number): number {
  const trigram = ((text[at] ?? 0) << 16) | ((text[at + 1] ?? 0) << 8) | (text[at + 2] ?? 0);
  return Math.imul(trigram, 0x9e37_79b1) >>> 19;
}
