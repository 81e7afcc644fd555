const buckets = 8_192;
/** Blocks of one page, as 32-bit words of one bucket. */
const wordsPerPage = 32;
const blocksPerPage = wordsPerPage * 32;

/**
 * For each block of texts, the trigrams (three consecutive bytes) that occur in it, by a hash of 13 bits. A block that lacks
 * a trigram of a word does not contain the word; the caller searches the others. Texts are added, never removed.
 */
export class TrigramFilter {
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
