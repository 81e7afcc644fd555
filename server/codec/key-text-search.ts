import { privateKeyMark } from './mask-private-keys';

const mostAheadBytes = 64 * 1024;

/**
 * May bytes hold the text of a private key? For who asks of 100,000 pieces, one after the other, that mostly lie in one
 * buffer: to look through a piece costs less than to begin, so it looks ahead, the further the more often that was of
 * use. One for each response: nobody writes to the bytes of a response while it is read.
 */
export class KeyTextSearch {
  /** Where no mark is, from its first byte to its last. */
  #buffer: ArrayBufferLike | undefined;
  #from = 0;
  #to = 0;
  #aheadBytes = 0;

  mayHold(bytes: Uint8Array): boolean {
    const { buffer, byteOffset: start, length } = bytes;
    const end = start + length;
    const isNear = start >= this.#from && start <= this.#to && buffer === this.#buffer;
    if (isNear && end <= this.#to) return false;
    this.#aheadBytes = isNear ? Math.min(mostAheadBytes, this.#aheadBytes * 2 + length) : 0;
    const searchedTo = Math.min(buffer.byteLength, end + this.#aheadBytes);
    const found = Buffer.from(buffer, start, searchedTo - start).indexOf(privateKeyMark);
    if (found >= 0 && start + found + privateKeyMark.length <= end) return true;
    this.#buffer = buffer;
    this.#from = start;
    this.#to = found < 0 ? searchedTo : start + found + privateKeyMark.length - 1;
    return false;
  }
}
