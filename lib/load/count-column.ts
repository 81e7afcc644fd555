import { addCounts, type Count } from './count';

/** Exact sums of counts in one block of memory. MUTABLE. */
export class CountColumn {
  #numbers: Float64Array;
  /** Counts from 2^53 on, by index. Most columns have none. */
  #large: Map<number, bigint> | undefined;

  constructor(places: number) {
    this.#numbers = new Float64Array(places);
  }

  get length(): number {
    return this.#numbers.length;
  }

  get(place: number): Count {
    return this.#large?.get(place) ?? this.#numbers[place] ?? 0;
  }

  add(place: number, count: Count): void {
    if (typeof count === 'number' && this.#large === undefined) {
      const sum = (this.#numbers[place] ?? 0) + count;
      if (sum <= Number.MAX_SAFE_INTEGER) {
        this.#numbers[place] = sum;
        return;
      }
    }
    this.set(place, addCounts(this.get(place), count));
  }

  set(place: number, count: Count): void {
    if (typeof count === 'number') {
      this.#numbers[place] = count;
      this.#large?.delete(place);
      return;
    }
    this.#large ??= new Map();
    this.#large.set(place, count);
  }

  /** Grows to a length; new counts are 0. */
  grow(places: number): void {
    const grown = new Float64Array(places);
    grown.set(this.#numbers);
    this.#numbers = grown;
  }
}
