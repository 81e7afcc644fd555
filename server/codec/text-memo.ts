import { textAt } from './wire-text';

const mostRemembered = 4_096;
const longestRemembered = 128;

interface Remembered<T> {
  readonly bytes: Uint8Array;
  readonly value: T;
}

/** Caches a function of short texts by their bytes, without creating a string for a known text. */
export class TextMemo<T> {
  readonly #compute: (text: string) => T;
  readonly #byHash = new Map<number, Remembered<T>>();
  /** The last result, which is mostly requested again. */
  #latest: Remembered<T> | undefined;

  constructor(compute: (text: string) => T) {
    this.#compute = compute;
  }

  get(bytes: Uint8Array, start: number, end: number): T {
    const latest = this.#latest;
    if (latest !== undefined && isSame(latest.bytes, bytes, start, end)) return latest.value;
    let hash = end - start;
    if (hash > longestRemembered) return this.#compute(textAt(bytes, start, end));
    for (let index = start; index < end; index++) hash = (Math.imul(hash, 31) + (bytes[index] ?? 0)) | 0;
    const known = this.#byHash.get(hash);
    if (known !== undefined && isSame(known.bytes, bytes, start, end)) {
      this.#latest = known;
      return known.value;
    }
    const value = this.#compute(textAt(bytes, start, end));
    // The first text of a hash remains, so that a peer cannot evict the others.
    if (known === undefined && this.#byHash.size < mostRemembered) {
      this.#byHash.set(hash, { bytes: Uint8Array.from(bytes.subarray(start, end)), value });
    }
    return value;
  }
}

function isSame(known: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let index = 0; index < known.length; index++) {
    if (known[index] !== bytes[start + index]) return false;
  }
  return true;
}
