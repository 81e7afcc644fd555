/** Limits the kept values and their characters. A fleet has some thousand names. */
const mostValues = 50_000;
const mostBytes = 4 * 1024 * 1024;

interface Kept<Value> {
  readonly bytes: Uint8Array;
  readonly value: Value;
  readonly next: Kept<Value> | undefined;
}

/** Caches values by their bytes, because names recur in each report. It is cleared when it is full. */
export class Interned<Value> {
  readonly #read: (bytes: Uint8Array) => Value;

  #kept = new Map<number, Kept<Value>>();
  #count = 0;
  #sizeBytes = 0;

  constructor(read: (bytes: Uint8Array) => Value) {
    this.#read = read;
  }

  /** Returns the string of bytes[from..to). */
  of(bytes: Uint8Array, from: number, to: number): Value {
    let hash = to - from;
    for (let index = from; index < to; index++) hash = (Math.imul(hash, 31) + (bytes[index] ?? 0)) | 0;
    const chain = this.#kept.get(hash);
    for (let kept = chain; kept !== undefined; kept = kept.next) {
      if (isEqual(kept.bytes, bytes, from, to)) return kept.value;
    }
    const own = bytes.slice(from, to);
    const value = this.#read(own);
    if (this.#count >= mostValues || this.#sizeBytes + own.length > mostBytes) {
      this.#kept = new Map();
      this.#count = 0;
      this.#sizeBytes = 0;
      this.#kept.set(hash, { bytes: own, value, next: undefined });
    } else this.#kept.set(hash, { bytes: own, value, next: chain });
    this.#count += 1;
    this.#sizeBytes += own.length;
    return value;
  }
}

function isEqual(a: Uint8Array, b: Uint8Array, from: number, to: number): boolean {
  if (a.length !== to - from) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[from + index]) return false;
  return true;
}
