import { privateKeyMark } from './mask-private-keys';

const mostAheadBytes = 64 * 1024;

/**
 * Searches for the text of a private key in up to 100,000 adjacent resources of one response. Starting a search costs
 * more than searching a resource, so each search reads ahead, and further if the previous one was useful. Each response
 * needs its own instance, and its bytes must not change meanwhile.
 */
export class KeyTextSearch {
  /** The buffer, and its range that contains no mark. */
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
