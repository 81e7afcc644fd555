import type { StreamChange } from '@/lib/views/stream/schema';

/**
 * A change that arrives during a fetch may be newer than its answer, which would overwrite it. Such changes
 * are recorded and folded again after the answer. Changes are absolute states, so folding them twice is safe.
 */
export class FetchOverlap {
  /** Index of the first change after the start of each running fetch; the oldest fetch comes first. */
  readonly #starts = new Map<string, number>();
  #log: StreamChange[] = [];
  /** The number of changes removed from the start of `log`. */
  #dropped = 0;

  get size(): number {
    return this.#log.length;
  }

  record(changes: readonly StreamChange[]): void {
    if (this.#starts.size === 0) return;
    for (const change of changes) this.#log.push(change);
  }

  /** Reports whether a query is fetching; when it stops, returns the changes that overlapped the fetch. */
  follow(queryHash: string, isFetching: boolean): readonly StreamChange[] {
    const start = this.#starts.get(queryHash);
    if (isFetching) {
      if (start === undefined) this.#starts.set(queryHash, this.#dropped + this.#log.length);
      return [];
    }
    if (start === undefined) return [];
    this.#starts.delete(queryHash);
    const missed = this.#log.slice(start - this.#dropped);
    this.#dropOld();
    return missed;
  }

  /** Drops the changes before the oldest running fetch. */
  #dropOld(): void {
    const [oldest = this.#dropped + this.#log.length] = this.#starts.values();
    if (oldest === this.#dropped) return;
    this.#log = this.#log.slice(oldest - this.#dropped);
    this.#dropped = oldest;
  }
}
