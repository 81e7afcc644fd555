import { privateKeyMark } from './mask-private-keys';

const mostAheadBytes = 64 * 1024;

/**
 * Finds out whether bytes may contain the text of a private key. Used for up to 100,000 adjacent resources of one
 * response: starting a search costs more than searching a resource, so that each search reads ahead, and further if
 * that was of use before. Create one per response, whose bytes must not change meanwhile.
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
